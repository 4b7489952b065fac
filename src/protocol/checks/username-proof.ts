import { fromUtf8 } from '../bytes.ts'
import { checkBasename, checkEnsName } from '../names.ts'
import { NETWORK_EPOCH_MS } from '../time.ts'
import type { MessageData, UserNameProof } from '../wire/message_pb.js'
import { UserNameType } from '../wire/message_pb.js'
import { invalid } from './rules.ts'

const BODY = 'usernameProofBody'
const NETWORK_EPOCH_SECONDS = BigInt(NETWORK_EPOCH_MS / 1000)

/**
 * A proof that travels as a message: of an ENS name or a basename, tied to its author and time. Whom
 * the name resolves to is the caller's to check; the signature inside is nobody's.
 */
export function checkUsernameProof(proof: UserNameProof, data: MessageData): void {
  const name = fromUtf8(proof.name)
  if (name === undefined) throw invalid('name must be encodable as utf8', `${BODY}.name`)
  if (proof.type === UserNameType.USERNAME_TYPE_ENS_L1) checkEnsName(name, `${BODY}.name`)
  else if (proof.type === UserNameType.USERNAME_TYPE_BASENAME) checkBasename(name, `${BODY}.name`)
  else throw invalid(`invalid username type: ${proof.type}`, `${BODY}.type`)

  if (proof.fid !== data.fid) {
    const text = 'fid in username proof does not match fid in message data'
    throw invalid(text, `${BODY}.fid`)
  }
  // Unix seconds here, network seconds there.
  if (proof.timestamp !== BigInt(data.timestamp) + NETWORK_EPOCH_SECONDS) {
    const text = 'timestamp in username proof does not match timestamp in message data'
    throw invalid(text, `${BODY}.timestamp`)
  }
}
