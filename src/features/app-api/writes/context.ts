import type { AppContext } from '../../../kernel/app-api/context.ts'
import { headersAfterWrite } from '../../../kernel/app-api/own-writes.ts'
import { type Answer, type AnswerHints, jsonAnswer } from '../../../kernel/http/route.ts'
import { Rejection, type RejectionCode } from '../../../kernel/protocol/rejection.ts'
import type { AppApi } from '../port.ts'
import type { MediaPort, PlatformPort, PreviewsPort, SubmitAll } from '../ports.ts'
import type { Published, Publisher } from './publisher.ts'

/** The dependencies of the calls that write. */
export type WritesContext = AppApi & {
  readonly publisher: Publisher
  readonly platform: PlatformPort
  readonly submitAll: SubmitAll
  /** Whether the operator asks for a description of every picture and video. */
  asksForDescriptions(): Promise<boolean>
}

export type CrawlContext = { readonly previews: PreviewsPort }
export type MediaContext = WritesContext & { readonly media: MediaPort }

/** One message: signed, verified and stored. */
export const MESSAGE_COST = { cpu: 'small', signatures: 2, writes: 1 } as const

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

/** The answer to a write, once the views have the stored messages. */
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

export const storedOf = (outcomes: readonly (Published | Rejection)[]): Published[] =>
  outcomes.filter((one): one is Published => !(one instanceof Rejection))
