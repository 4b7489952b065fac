import { createHub } from '../../src/client/interfaces.ts'
import { type KeyRemove, keyRemove } from '../../src/client/messages.ts'
import { type NetworkName, signMessage } from '../../src/client/sign.ts'
import { createKey } from '../client/act/key-store.ts'

/** Submits the removal of a gasless key. The custody signature is the consent, so a key of this moment signs the message. */
export async function sendKeyRemoval(fid: number, removal: KeyRemove): Promise<void> {
  // The hub is beside the platform at the front door.
  const hub = createHub({ url: new URL('../../hub', location.href).href })
  const { network } = await hub.get('/v1/info')
  const author = { fid, network: network as NetworkName }
  const { bytes } = await signMessage(keyRemove(removal), author, await createKey())
  await hub.post('/v1/submitMessage', bytes)
}
