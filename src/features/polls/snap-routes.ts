import Type from 'typebox'
import { ERRORS } from '../../kernel/http/errors.ts'
import { VARY_LANGUAGE } from '../../kernel/http/files/page-language.ts'
import { described, optional, patternParam, wordParam } from '../../kernel/http/input/params.ts'
import { type Answer, content, json, type RequestInfo, route } from '../../kernel/http/route.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { type Faces, sayToClient } from '../server-face/port.ts'
import { PRESS_ERRORS, type Press, SNAP_TYPE, type Snaps } from '../snaps/port.ts'
import { POLL_ID } from './limits.ts'
import { VIEWS } from './page.ts'
import type { PollContext } from './polls.ts'

// Polls as other clients ask for them: snaps at the front door.

/** Of the web client, where people read a poll. */
const SCREEN = '../poll/'

/** A page is answered to who asks for it, and differs by who looks and their language. */
const HEADERS = { vary: `Accept, X-Snap-Payload, ${VARY_LANGUAGE}`, 'cache-control': 'no-cache' }
/** Fewer than headers of requests may have. */
const MAX_PART_CHARACTERS = 2 * 1024
const part = Type.String({ minLength: 1, maxLength: MAX_PART_CHARACTERS })
const Jfs = Type.Object({ header: part, payload: part, signature: part })
type Jfs = Type.Static<typeof Jfs>

type Needs = { readonly context: PollContext; readonly snaps: Snaps; readonly faces: Faces }

const TAGS = [{ name: 'Polls', description: 'Questions of members, as snaps.' }]
const Page = Type.Unsafe<object>({
  type: 'object',
  $comment: 'Open: the format of snaps says what it has.',
})
const Refusal = Type.Object({ error: Type.String({ description: 'In words for the voter.' }) })
const params = { id: described(patternParam(POLL_ID), 'The id of the poll.') }

export const snapRoutes = [
  route('GET /polls/:id', {
    callers: 'anyone',
    summary: 'A poll',
    description:
      'A snap: to vote, or the result for who has voted, which X-Snap-Payload tells. Browsers are led to the page of the web ' +
      'client.',
    params,
    query: { view: described(optional(wordParam(VIEWS)), 'What is shown of a poll that runs.') },
    reply: Page,
    contentType: SNAP_TYPE,
    errors: ['not_found'],
    cost: { cpu: 'moderate', signatures: 1 },
    tags: TAGS,
    handler: async (
      { context, snaps, faces }: Needs,
      { params: { id }, query: { view }, request },
    ) => {
      const url = new URL(context.urlOf(id))
      const say = async () => sayToClient(request, undefined, await faces.read())
      if (view) url.searchParams.set('view', view)
      const own = (await snaps.ownPages([url], say)).get(url.href)
      if (!own) throw new Rejection('not_found', `there is no poll ${id}`, { field: 'id' })
      const { accept = '*/*' } = request.headers
      if (accept.includes('text/html') && !accept.includes(SNAP_TYPE)) return toScreen(context, id)
      return pageAnswer((await pageOfViewer(snaps, url, request)) ?? own.page)
    },
  }),
  route('POST /polls/:id', {
    callers: 'anyone',
    summary: 'Vote in a poll',
    description:
      'The body is a JSON Farcaster Signature by an active key of the voter, as clients of snaps send it. A second vote takes ' +
      'the place of the first. After the end the answer is the final result, and nothing is counted.',
    params,
    body: json(Jfs),
    reply: Page,
    contentType: SNAP_TYPE,
    errors: PRESS_ERRORS,
    otherReplies: Object.fromEntries(PRESS_ERRORS.map((code) => [ERRORS[code].status, Refusal])),
    cost: { cpu: 'medium', signatures: 1, writes: 2 },
    tags: TAGS,
    handler: async ({ context, snaps }: Needs, { params: { id }, body, request }) => {
      const sent = pressOf(context.urlOf(id), body, request)
      const { status, read, error } = await snaps.press(sent).catch(refused)
      if (read?.page) return pageAnswer(read.page)
      return content(JSON.stringify({ error }), 'application/json', { status, headers: HEADERS })
    },
  }),
]

const pressOf = (target: string, jfs: Jfs, request: RequestInfo): Press => ({
  target,
  jfs,
  onProven: (fid) => request.chargeTo(`fid:${fid}`),
  runLimited: (_, work) => work(),
})

/** The page as the viewer sees it who is named in a header; undefined where that proves nothing. */
async function pageOfViewer(snaps: Snaps, url: URL, request: RequestInfo) {
  const signed = request.headers[SNAP_PAYLOAD_HEADER]
  if (typeof signed !== 'string') return undefined
  const [header = '', payload = '', signature = ''] = signed.split('.')
  const sent = pressOf(url.href, { header, payload, signature }, request)
  const { read } = await snaps.press({ ...sent, method: 'GET' }).catch(refused)
  return read?.page
}
const SNAP_PAYLOAD_HEADER = 'x-snap-payload'

/** A refusal as clients of snaps read it. */
function refused(failure: unknown): { status: number; error: string; read?: undefined } {
  if (!(failure instanceof Rejection)) throw failure
  return { status: ERRORS[failure.code].status, error: failure.message }
}

/** Bytes: to a text the server would add a charset, which is no part of this media type. */
const pageAnswer = (page: object): Answer =>
  content(Buffer.from(JSON.stringify(page)), SNAP_TYPE, { headers: HEADERS })

/** Paths: whoever reads them is at this server, be it by another name. */
function toScreen({ urlOf }: PollContext, id: string): Answer {
  const { href, pathname } = new URL(urlOf(id))
  const location = new URL(SCREEN + id, href).pathname
  const link = `<${pathname}>; rel="alternate"; type="${SNAP_TYPE}"`
  return content('', 'text/plain', { status: 302, headers: { ...HEADERS, location, link } })
}
