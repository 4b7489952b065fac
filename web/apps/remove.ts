import { getRemoval, getSigners, sendRemoval } from '../shared/api.ts'
import { t } from '../shared/messages.ts'
import type { Connection } from '../wallets/provider.ts'
import { sendTransaction, signTypedData } from '../wallets/sign.ts'

const POLL_MS = 1_000
/** A chain confirms within a minute or two; after that the page stops waiting. */
const MAX_POLLS = 180

/** Signs the removal of a key and calls `onSigned`. Resolves when the key is no longer active. */
export async function removeKey(
  { fid, key }: { fid: number; key: string },
  connection: Connection,
  onSigned: () => void,
): Promise<void> {
  const typedData = await getRemoval(fid, key)
  const signature = await signTypedData(connection, typedData)
  const deadline = Number(typedData.message.deadline)
  const { transaction } = await sendRemoval({ fid, key, deadline, signature })
  if (transaction) await sendTransaction(connection, transaction)
  onSigned()
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    if (!(await hasKey(fid, key))) return
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error(t('The removal was sent but is not confirmed yet. Check again later.'))
}

async function hasKey(fid: number, key: string): Promise<boolean> {
  let cursor: string | undefined
  do {
    const page = await getSigners({ fid }, cursor)
    if (page.signers.some((signer) => signer.key.toLowerCase() === key.toLowerCase())) return true
    cursor = page.cursor
  } while (cursor !== undefined)
  return false
}
