import Type from 'typebox'
import { MAX_URL_CHARACTERS } from '../../kernel/http/outgoing.ts'
import { json, route } from '../../kernel/http/route.ts'
import type { SitesPort } from '../web/port.ts'
import type { PressAnswer } from './asking.ts'
import { lineOf } from './faults.ts'
import { PageReply } from './schemas.ts'
import { type Snaps, TARGET_FIELD } from './snaps.ts'

/** Inputs of 280 characters each, of as many elements as a page has, in JSON and in base64. */
const MAX_PART_CHARACTERS = 48 * 1024
const part = Type.String({ minLength: 1, maxLength: MAX_PART_CHARACTERS })

const PressBody = Type.Object(
  {
    [TARGET_FIELD]: Type.String({ minLength: 1, maxLength: MAX_URL_CHARACTERS }),
    header: part,
    payload: part,
    signature: part,
  },
  { additionalProperties: false },
)

type Needs = { readonly snaps: Snaps; readonly sites: SitesPort }

export const snapRoutes = [
  route('POST /snap/press', {
    callers: 'anyone',
    summary: 'Press a button of a snap',
    description:
      'Sends what a user has signed to the server of the snap, which does not learn the address of the user. `header`, ' +
      '`payload` and `signature` are a JSON Farcaster Signature by an active key of the user, for the origin of `target`. The ' +
      'same signature is not sent again while it is under way or once it had a page: it has that answer.',
    body: json(PressBody, { maxBytes: 2 * MAX_PART_CHARACTERS }),
    reply: Type.Object({
      status: Type.Integer({ description: 'With which the server of the snap answered.' }),
      page: Type.Optional(PageReply),
      error: Type.Optional(
        Type.String({ description: 'Why there is no page, in words for the user.' }),
      ),
    }),
    errors: ['bad_request.validation_failure', 'unauthorized', 'rate_limited'],
    cost: { cpu: 'medium', signatures: 1 },
    tags: [{ name: 'Other sites', description: 'What people link to.' }],
    handler: async ({ snaps, sites }: Needs, { body: { target, ...jfs }, request }) => {
      const answer = await snaps.press({
        target,
        jfs,
        onProven(fid) {
          request.chargeTo(`fid:${fid}`)
          request.consume(sites.connectionBytes)
        },
        runLimited: (url, work) => sites.runLimited({ url, ip: request.ip }, work),
      })
      return replyOf(answer)
    },
  }),
]

function replyOf({ status, read, error }: PressAnswer) {
  if (read?.page) return { status, page: read.page }
  if (read?.newerVersion) return { status, error: NEWER }
  const fault = read?.faults.find(({ severity }) => severity === 'error')
  return { status, error: error ?? (fault ? lineOf(fault) : 'The server sent no page.') }
}

const NEWER = 'This client has to be updated to show the next page.'
