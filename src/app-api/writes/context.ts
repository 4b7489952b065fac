import { type Answer, type AnswerHints, jsonAnswer } from '../../http/route.ts'
import type { RejectionCode } from '../../protocol/rejection.ts'
import { Rejection } from '../../protocol/rejection.ts'
import type { AppContext } from '../context.ts'
import { headersAfterWrite } from '../own-writes.ts'
import type { PlatformPort, SubmitAll } from '../ports.ts'
import type { Signers } from '../signers/signers.ts'
import type { Published, Publisher } from './publisher.ts'

/** The dependencies of the calls that write. */
export type WritesContext = AppContext & {
  readonly publisher: Publisher
  readonly signers: Signers
  readonly platform: PlatformPort
  readonly submitAll: SubmitAll
  /** Network seconds of a user's newest notification; 0 without one. */
  newestNoticeAt(fid: number): Promise<number>
}

/** One message: signed, verified and stored. */
export const MESSAGE_COST = { cpu: 'small', signatures: 2, writes: 1 } as const

/** Why a call that stores a message may be refused. */
export const MESSAGE_ERRORS: readonly RejectionCode[] = [
  'bad_request.validation_failure',
  'bad_request.unknown_fid',
  'bad_request.unknown_signer',
  'bad_request.no_storage',
  'bad_request.conflict',
  'bad_request.prunable',
  'bad_request.blocked',
  'bad_request.erased',
  'unauthorized',
  'unreadable_secret',
  'unauthorized.suspended',
  'not_found',
  'unavailable.overloaded',
]

/** The answer to a write, once the derived tables have what it stored. */
export async function answerWrite(
  context: AppContext,
  published: readonly Pick<Published, 'eventId'>[],
  value: object,
  hints: AnswerHints = {},
): Promise<Answer> {
  const ids = published.map(({ eventId }) => eventId).filter((id) => id !== undefined)
  const headers = ids.length === 0 ? {} : await headersAfterWrite(context, Math.max(...ids))
  return jsonAnswer(value, { ...hints, headers: { ...hints.headers, ...headers } })
}

/** Those that were not refused. */
export const storedOf = (outcomes: readonly (Published | Rejection)[]): Published[] =>
  outcomes.filter((one): one is Published => !(one instanceof Rejection))

export const SUCCESS = { success: true } as const

/** Runs a call of another service, whose refusals name fields of this interface in its own words. */
export async function inFieldsOf<T>(
  fields: Readonly<Record<string, string>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof Rejection ? withFields(error, fields) : error
  }
}

/** The same refusal with the fields that a caller knows. A field without an entry is left out. */
export function withFields(
  refused: Rejection,
  fields: Readonly<Record<string, string>>,
): Rejection {
  const { code, message, field, reason, retryAfterSeconds } = refused
  const key = Object.keys(fields).find((one) => field === one || field?.startsWith(`${one}[`))
  const ours = key === undefined ? undefined : field!.replace(key, fields[key]!)
  return new Rejection(code, ours === undefined ? message : message.replaceAll(field!, ours), {
    ...(ours !== undefined && { field: ours }),
    ...(reason !== undefined && { reason }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}
