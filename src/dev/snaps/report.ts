import { ACCEPT, isSnapType, snapLink } from '../../features/snaps/asking.ts'
import { error, type SnapFault, warning } from '../../features/snaps/faults.ts'
import { SNAP_TYPE } from '../../features/snaps/words.ts'
import { locationOf } from '../../kernel/http/files/outgoing-file.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { type Answered, ask } from './exchange.ts'
import { type Presser, pressAll } from './presses.ts'
import type { Fault, Report } from './schemas.ts'

// Everything that is wrong about the server of a snap, with what to do.

const MAX_REDIRECTS = 5

/** Examines the snap at an address; with an account that presses its first button also how it verifies presses. */
export async function reportOn(text: string, presser?: Presser): Promise<Report> {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    const message = 'url must be that of a snap, such as http://localhost:3003'
    throw new Rejection('bad_request.invalid_param', message, { field: 'url' })
  }
  const steps: Answered[] = []
  const get = async (what: string, at: URL, accept: string, mayBeHtml = false) => {
    const { answers, last } = await follow(what, at, accept, mayBeHtml)
    steps.push(...answers)
    return last
  }
  const asked = await get('as a client that knows snaps asks', url, ACCEPT, true)
  const found: Fault[] = []
  const tell = (fault: SnapFault, at = url.href) => found.push({ ...fault, url: at })
  let snap = asked
  if (asked.response) {
    const plain = await get('as a browser asks', url, 'text/html, */*;q=0.8', true)
    for (const fault of discoveryFaults(asked, plain)) tell(fault)
    const link = isSnap(asked) ? undefined : linkOf(asked)
    if (link) snap = await get('the snap that the page names', link, ACCEPT)
  }
  const { page, newerVersion } = snap.read ?? {}
  const at = new URL(snap.exchange.url)
  const presses = page && presser ? await pressAll(page, at, presser) : undefined
  for (const fault of presses?.faults ?? []) found.push(fault)
  steps.push(...(presses?.answers ?? []))
  const exchanges = steps.map(({ exchange }) => exchange)
  const faults = [...found, ...exchanges.flatMap((one) => one.faults)]
  return {
    url: url.href,
    ...(page && { snapUrl: at.href, page }),
    ...(newerVersion && { newerVersion }),
    faults: unique(faults),
    exchanges,
    isReady: page !== undefined && !faults.some(({ severity }) => severity === 'error'),
  }
}

/** GET with redirects: where each led. */
async function follow(what: string, url: URL, accept: string, mayBeHtml: boolean) {
  const answers: Answered[] = []
  let at = url
  for (;;) {
    const request = { method: 'GET', headers: { accept } } as const
    const one = await ask({ what, url: at, request, mayBeHtml })
    answers.push(one)
    const { status, headers } = one.response ?? { status: 0, headers: {} }
    const next = status >= 300 && status < 400 && locationOf(headers, at)
    if (!next) {
      if (status !== 0 && status !== 200) add(one, statusFault(status))
      return { answers, last: one }
    }
    if (answers.length > MAX_REDIRECTS) {
      add(one, error('status', `redirects more than ${MAX_REDIRECTS} times`, 'Redirect once.'))
      return { answers, last: one }
    }
    at = next
  }
}

const add = ({ exchange }: Answered, fault: SnapFault): void => {
  exchange.faults.push({ ...fault, url: exchange.url })
}

const statusFault = (status: number): SnapFault =>
  error('status', `the server answered ${status}`, 'Answer 200 with a page.')

const isSnap = ({ response }: Answered): boolean =>
  isSnapType(response?.headers['content-type'] ?? '')

const linkOf = ({ response, exchange }: Answered): URL | undefined => {
  if (response?.status !== 200) return undefined
  const { link } = response.headers
  return snapLink(Array.isArray(link) ? link.join(', ') : link, new URL(exchange.url))
}

/** What keeps clients from finding the snap. */
function discoveryFaults(asked: Answered, plain: Answered): SnapFault[] {
  const faults: SnapFault[] = []
  const isFound = isSnap(asked) || linkOf(asked) !== undefined
  const link = `Link: <…>; rel="alternate"; type="${SNAP_TYPE}"`
  if (!isFound && asked.exchange.faults.length === 0) {
    const fix = `Answer with content-type: ${SNAP_TYPE}, or with HTML that has ${link}.`
    faults.push(error('content-type', 'the address answers no snap', fix))
  }
  const isPlain = plain.response && !isSnap(plain) && !linkOf(plain)
  if (isFound && isPlain) {
    const text = 'a GET without the media type in Accept shows no snap: clients show a plain link'
    faults.push(error('discovery', text, `Answer HTML with ${link}.`))
  }
  const vary = String(asked.response?.headers.vary ?? '')
  if (isSnap(asked) !== isSnap(plain) && !/(?:^|,)\s*(?:accept|\*)\s*(?:,|$)/i.test(vary)) {
    const text = 'the answer depends on Accept and does not say so: caches mix both up'
    faults.push(warning('vary', text, 'Answer with vary: Accept.'))
  }
  return faults
}

/** The same page was read twice: as a client and as a browser. */
const unique = (faults: readonly Fault[]): Fault[] => [
  ...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values(),
]
