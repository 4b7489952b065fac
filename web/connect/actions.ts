import { getApproval, sendApproval, sendDenial } from '../shared/api.ts'
import { t } from '../shared/messages.ts'
import type { KeyRequest, Transaction } from '../types.ts'
import type { Connection } from '../wallets/provider.ts'
import { makeCustodyToken, signTypedData } from '../wallets/sign.ts'

/** Signs the approval and submits it. Returns a transaction when the user has to send it. */
export async function approve(
  token: string,
  connection: Connection,
): Promise<{ signedKeyRequest: KeyRequest; transaction?: Transaction }> {
  // Fetched again: the data of the page has an old deadline and perhaps an old nonce.
  const { typedData, user } = await getApproval(token, connection.address)
  if (!typedData || !user) throw new Error(t('This request can no longer be approved.'))
  const signature = await signTypedData(connection, typedData)
  const deadline = Number(typedData.message.deadline)
  return sendApproval({ token, deadline, signature, userFid: user.fid })
}

/** Declines for good. The signature proves that an account of this network declines. */
export async function deny(
  { token, approvalUrl }: KeyRequest,
  connection: Connection,
  { fid, now }: { fid: number; now: number },
): Promise<void> {
  // The audience makes the token useless elsewhere.
  const audience = approvalUrl?.split('/~/')[0]
  await sendDenial(token, await makeCustodyToken(connection, { fid, now, audience }))
}
