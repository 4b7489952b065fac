import Type from 'typebox'
import { MAX_URL_CHARACTERS } from '../../kernel/http/outgoing.ts'
import { json, type RequestInfo, route } from '../../kernel/http/route.ts'
import type { SitesPort } from '../web/port.ts'
import type { PressAnswer } from './asking.ts'
import { lineOf } from './faults.ts'
import { PageReply, PRESS_ERRORS, VIEW_ERRORS } from './schemas.ts'
import { type Press, type Snaps, TARGET_FIELD } from './snaps.ts'

/** Inputs of 280 characters each, of as many elements as a page has, in JSON and in base64. */
const MAX_PART_CHARACTERS = 48 * 1024
const part = Type.String({ minLength: 1, maxLength: MAX_PART_CHARACTERS })

/** Servers take headers of 16 KiB. */
const MAX_HEADER_PART_CHARACTERS = 2 * 1024
const headerPart = Type.String({ minLength: 1, maxLength: MAX_HEADER_PART_CHARACTERS })

export const Target = Type.String({ minLength: 1, maxLength: MAX_URL_CHARACTERS })
const PressBody = Type.Object(
  { [TARGET_FIELD]: Target, header: part, payload: part, signature: part },
  { additionalProperties: false },
)
const ViewBody = Type.Object(
  { [TARGET_FIELD]: Target, header: headerPart, payload: headerPart, signature: headerPart },
  { additionalProperties: false },
)

export type Needs = { readonly snaps: Snaps; readonly sites: SitesPort }

export const SNAP_REPLY = Type.Object({
  status: Type.Integer({ description: 'With which the server of the snap answered.' }),
  page: Type.Optional(PageReply),
  error: Type.Optional(
    Type.String({ description: 'Why there is no page, in words for the user.' }),
  ),
})
const TAGS = [{ name: 'Other sites', description: 'What people link to.' }]

/** Sends what a user has signed, and charges the user for it. */
export async function sendFor(
  { snaps, sites }: Needs,
  request: RequestInfo,
  sent: Pick<Press, 'method' | 'target' | 'jfs'>,
) {
  const answer = await snaps.press({
    ...sent,
    onProven(fid) {
      request.chargeTo(`fid:${fid}`)
      request.consume(sites.connectionBytes)
    },
    runLimited: (url, work) => sites.runLimited({ url, ip: request.ip }, work),
  })
  return replyOf(answer)
}

export const snapRoutes = [
  route('POST /snap/press', {
    callers: 'anyone',
    summary: 'Press a button of a snap',
    description:
      'Sends what a user has signed to the server of the snap, which does not learn the address of the user. `header`, ' +
      '`payload` and `signature` are a JSON Farcaster Signature by an active key of the user, for the origin of `target`. The ' +
      'same signature is not sent again while it is under way or once it had a page: it has that answer.',
    body: json(PressBody, { maxBytes: 2 * MAX_PART_CHARACTERS }),
    reply: SNAP_REPLY,
    errors: PRESS_ERRORS,
    cost: { cpu: 'medium', signatures: 1, writes: 1 },
    tags: TAGS,
    handler: async (needs: Needs, { body: { target, ...jfs }, request }) =>
      sendFor(needs, request, { target, jfs }),
  }),
  route('POST /snap/view', {
    callers: 'anyone',
    summary: 'A page of a snap as a user sees it',
    description:
      'Asks the server of the snap with GET and the header X-Snap-Payload, which tells who looks. What is signed is as for a ' +
      'press. Send it only where the user has agreed to it.',
    body: json(ViewBody, { maxBytes: 4 * MAX_HEADER_PART_CHARACTERS }),
    reply: SNAP_REPLY,
    errors: VIEW_ERRORS,
    cost: { cpu: 'medium', signatures: 1 },
    tags: TAGS,
    handler: async (needs: Needs, { body: { target, ...jfs }, request }) =>
      sendFor(needs, request, { method: 'GET', target, jfs }),
  }),
]

function replyOf({ status, read, error }: PressAnswer) {
  if (read?.page) return { status, page: read.page }
  if (read?.newerVersion) return { status, error: NEWER }
  const fault = read?.faults.find(({ severity }) => severity === 'error')
  return { status, error: error ?? (fault ? lineOf(fault) : 'The server sent no page.') }
}

const NEWER = 'This client has to be updated to show the next page.'
