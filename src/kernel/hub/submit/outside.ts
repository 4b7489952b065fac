import { isContractClaim } from '../../protocol/check.ts'
import { KEY_REMOVAL } from '../../protocol/kinds/gasless-key.ts'
import { usernameKind } from '../../protocol/names.ts'
import { type MessageData, UserDataType } from '../../protocol/wire/message_pb.js'

// Which messages need an answer from outside of the store.

/** Whether a chain has to be asked about a message: an ENS name, or the claim of a contract wallet. */
export const asksChain = (body: MessageData['body']): boolean =>
  body.case === 'usernameProofBody' || isContractClaim(body)

/** The registry name that a username message claims, as a list of one; else none. */
export const registryNameOf = (body: MessageData['body']): Uint8Array[] =>
  usernameIn(body, (kind) => kind === 'fname')

/** The same of an ENS name or basename. */
export const ethereumNameOf = (body: MessageData['body']): Uint8Array[] =>
  usernameIn(body, (kind) => kind !== 'fname')

function usernameIn(
  body: MessageData['body'],
  isMeant: (kind: ReturnType<typeof usernameKind>) => boolean,
): Uint8Array[] {
  if (body.case !== 'userDataBody' || body.value.type !== UserDataType.USER_DATA_TYPE_USERNAME)
    return []
  const { value } = body.value
  return value === '' || !isMeant(usernameKind(value)) ? [] : [Buffer.from(value)]
}

/** Whether an Ethereum signature in a message has to be recovered before the message is merged. */
export const asksKeySigners = (body: MessageData['body']): boolean =>
  body.case === 'keyAddBody' ||
  (body.case === 'keyRemoveBody' && body.value.signatureType === KEY_REMOVAL.custody)

/** Whether something besides the store has to be asked. */
export const asksOutside = (body: MessageData['body']): boolean =>
  asksChain(body) || asksKeySigners(body) || registryNameOf(body).length > 0
