import type { RecoveryReply, RecoveryRequest } from '../../../src/features/recovery/schemas.ts'
import { fetchJson, Refusal } from '../../shared/request.ts'

export type RecoveryTerms = RecoveryReply

/** The recovery address of an account that nobody can recover. */
export const NOBODY = `0x${'00'.repeat(20)}`

/** The recovery service of the server, and whether an account is about to be moved. */
export const readRecovery = (fid?: number): Promise<RecoveryTerms> =>
  fetchJson<RecoveryTerms>('/accounts/v1/recovery', { query: { fid } })

/** A request for a lost account; undefined when there is none any more. */
export const findRequest = (receiver: string, fid?: number): Promise<RecoveryRequest | undefined> =>
  fetchJson<RecoveryRequest>(`/accounts/v1/recovery/requests/${receiver}`, {
    query: { fid },
  }).catch((error) => {
    if (error instanceof Refusal && error.status === 404) return undefined
    throw error
  })
