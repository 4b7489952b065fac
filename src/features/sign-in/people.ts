import { fromBinary } from '@bufbuild/protobuf'
import type { Accounts } from '../../kernel/accounts/port.ts'
import { toHex } from '../../kernel/protocol/codec/bytes.ts'
import { addressText } from '../../kernel/protocol/kinds/json-values.ts'
import { MESSAGE_SETS } from '../../kernel/protocol/slots.ts'
import { MessageDataSchema, MessageType } from '../../kernel/protocol/wire/message_pb.js'
import { readProfiles } from '../../kernel/storage/reads/profiles.ts'
import type { Reader } from '../../kernel/storage/storage.ts'

/** A fid has 5 to 25 verifications for each unit of storage; an app is told so many. */
const MAX_VERIFICATIONS = 100

/** What the network says about an account, for the app that it signs in to. */
export async function identityOf(
  { storage: { published }, accounts }: { storage: Reader; accounts: Accounts },
  fid: number,
) {
  const [account, [profile], verifications] = await Promise.all([
    accounts.custodyOf(fid),
    readProfiles(published.messages, [fid], ['username', 'displayName', 'picture', 'bio']),
    verificationsOf(published, fid),
  ])
  const { username, displayName, picture, bio } = profile ?? {}
  return {
    fid,
    ...{ username, displayName, pfpUrl: picture, bio, verifications },
    ...(account && { custody: toHex(account.address) }),
  }
}

async function verificationsOf({ messages }: Reader['published'], fid: number): Promise<string[]> {
  const types = [MessageType.VERIFICATION_ADD_ETH_ADDRESS]
  const list = { fid, store: MESSAGE_SETS.verifications, types }
  const { items } = await messages.listByFid(list, { size: MAX_VERIFICATIONS, reverse: false })
  return items.flatMap(({ data }) => {
    const { body } = fromBinary(MessageDataSchema, data)
    if (body.case !== 'verificationAddAddressBody') return []
    return [addressText(body.value.address, body.value.protocol)]
  })
}
