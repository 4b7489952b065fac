import { signedRequest } from '../../features/snaps/asking.ts'
import { error } from '../../features/snaps/faults.ts'
import { firstInputs } from '../../features/snaps/inputs.ts'
import type { Jfs } from '../../features/snaps/payload.ts'
import type { SnapPage } from '../../features/snaps/types.ts'
import { signJfs } from '../../kernel/platform/sign.ts'
import { HOUR_SECONDS } from '../../kernel/protocol/time.ts'
import { type Answered, ask } from './exchange.ts'
import type { Fault } from './schemas.ts'

// Presses of the first button that posts: signed rightly once, and before that in each way that a server has to refuse.

export type Presser = {
  readonly fid: number
  readonly seed: Uint8Array
  /** Unix seconds of this machine: a server of a snap does not know that the clock of the network was moved. */
  readonly now: number
  /** Where a server may ask for the key. */
  readonly hub: string
}

type Payload = Readonly<Record<string, unknown>>

/** What each wrong press has wrong. */
const WRONG: Readonly<Record<string, (right: Payload, presser: Presser) => Jfs>> = {
  'for another origin': (right, presser) =>
    signJfs(presser, { ...right, audience: 'https://other.example' }),
  'of an hour ago': (right, presser) =>
    signJfs(presser, { ...right, timestamp: presser.now - HOUR_SECONDS }),
  'for another fid than that of the key': (right, presser) => {
    const fid = presser.fid + 1
    return signJfs({ ...presser, fid }, { ...right, fid, user: { fid } })
  },
  'with other inputs than were signed': (right, presser) => {
    const { payload } = signJfs(presser, { ...right, inputs: { changed: true } })
    return { ...signJfs(presser, right), payload }
  },
}

type Presses = { readonly answers: readonly Answered[]; readonly faults: readonly Fault[] }

export async function pressAll(page: SnapPage, at: URL, presser: Presser): Promise<Presses> {
  const target = firstTarget(page)
  if (target === undefined) return { answers: [], faults: [] }
  const url = new URL(target, at)
  const right = {
    ...{
      fid: presser.fid,
      inputs: { ...firstInputs(page), ...entered(page) },
      timestamp: presser.now,
    },
    ...{ audience: url.origin, user: { fid: presser.fid }, surface: { type: 'standalone' } },
  }
  const press = (what: string, jfs: Jfs) =>
    ask({ what: `a press ${what}`, url, request: signedRequest('POST', jfs) })
  const answers: Answered[] = []
  const faults: Fault[] = []
  const tell = (text: string, fix: string) =>
    faults.push({ ...error('press', text, fix), url: url.href })
  for (const [what, make] of Object.entries(WRONG)) {
    const answered = await press(what, make(right, presser))
    // What it answered is no page to be examined.
    answered.exchange.faults.length = 0
    answers.push(answered)
    if (answered.exchange.status === 200) {
      tell(`a press ${what} is accepted`, 'Verify signature, key, audience and time; answer 4xx.')
    }
  }
  const answered = await press('as it should be', signJfs(presser, right))
  answers.push(answered)
  const { status, error: said } = answered.exchange
  if (status !== undefined && status !== 200) {
    const hub = `Let the server ask this hub for the key: ${presser.hub}.`
    tell(`a press that is signed rightly is answered with ${status}: ${said}`, hub)
  }
  return { answers, faults }
}

/** Something in each field that begins empty: a server may ask for it. */
function entered({ ui: { elements } }: SnapPage): Payload {
  const values = Object.values(elements).flatMap(({ type, props }) => {
    if (type === 'input' && !props.defaultValue) return [[props.name, '1']]
    if (type !== 'toggle_group' || props.defaultValue !== undefined) return []
    const [first] = props.values ?? props.options
    return [[props.name, props.multiple ? [first!] : first!]]
  })
  return Object.fromEntries(values)
}

const firstTarget = ({ ui: { elements } }: SnapPage): string | undefined =>
  Object.values(elements)
    .flatMap(({ on }) => (on?.press.action === 'submit' ? [on.press.params.target] : []))
    .at(0)
