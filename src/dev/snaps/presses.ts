import { signedRequest } from '../../features/snaps/asking.ts'
import { error } from '../../features/snaps/faults.ts'
import { firstInputs, type Inputs } from '../../features/snaps/inputs.ts'
import type { Jfs } from '../../features/snaps/payload.ts'
import {
  buttonIndex,
  oldPayloadOf,
  payloadOf,
  type Signed,
  sendPress,
} from '../../features/snaps/pressing.ts'
import type { SnapPage, SnapValue } from '../../features/snaps/types.ts'
import { signJfs } from '../../kernel/platform/sign.ts'
import { HOUR_SECONDS } from '../../kernel/protocol/time.ts'
import { type Answered, ask } from './exchange.ts'
import type { Fault } from './schemas.ts'

// Presses of the first button that posts: signed rightly, and before that in each way that a server has to refuse. On a page of
// version 1.0 in the form of that version, too.

export type Presser = {
  readonly fid: number
  readonly seed: Uint8Array
  /** Unix seconds of this machine: a server of a snap does not know that the clock of the network was moved. */
  readonly now: number
  /** Where a server may ask for the key. */
  readonly hub: string
}

type Payload = Readonly<Record<string, unknown>>

/** By what each has wrong. The form of version 1.0 names no origin. */
function wrongPresses(right: Payload, presser: Presser): Readonly<Record<string, Jfs>> {
  const sign = (change: Payload, fid = presser.fid) =>
    signJfs({ ...presser, fid }, { ...right, ...change })
  const other = presser.fid + 1
  return {
    ...(right.audience
      ? { 'for another origin': sign({ audience: 'https://other.example' }) }
      : {}),
    'of an hour ago': sign({ timestamp: presser.now - HOUR_SECONDS }),
    'for another fid than that of the key': sign(
      { fid: other, ...(right.user ? { user: { fid: other } } : {}) },
      other,
    ),
    'with other inputs than were signed': {
      ...sign({}),
      payload: sign({ inputs: { changed: true } }).payload,
    },
  }
}

type Presses = { readonly answers: readonly Answered[]; readonly faults: readonly Fault[] }

export async function pressAll(page: SnapPage, at: URL, presser: Presser): Promise<Presses> {
  const button = firstButton(page)
  if (!button) return { answers: [], faults: [] }
  const url = new URL(button.target, at)
  const given = {
    ...{ fid: presser.fid, target: url.href, timestamp: presser.now, surface: undefined },
    inputs: { ...firstInputs(page), ...entered(page) },
  }
  const answers: Answered[] = []
  const faults: Fault[] = []
  const press = async (what: string, jfs: Jfs) => {
    const answered = await ask({ what, url, request: signedRequest('POST', jfs) })
    answers.push(answered)
    return answered
  }
  const tell = (text: string, fix: string) =>
    faults.push({ ...error('press', text, fix), url: url.href })
  for (const right of formsOf(given, { page, id: button.id })) {
    for (const [what, jfs] of Object.entries(wrongPresses(right, presser))) {
      const { exchange } = await press(`a press ${what}${formOf(right)}`, jfs)
      // What it answered is no page to be examined.
      exchange.faults.length = 0
      if (exchange.status !== 200) continue
      tell(`${exchange.what} is accepted`, 'Verify signature, key, audience and time; answer 4xx.')
    }
  }
  const { status, error: said } = await sendPress(given, { page, id: button.id }, async (right) => {
    const jfs = signJfs(presser, right)
    return (await press(`a press as it should be${formOf(right)}`, jfs)).exchange
  })
  if (status !== undefined && status !== 200) {
    const hub = `Let the server ask this hub for the key: ${presser.hub}.`
    tell(`a press that is signed rightly is answered with ${status}: ${said}`, hub)
  }
  return { answers, faults }
}

const formOf = (payload: object): string =>
  'button_index' in payload ? ', in the form of version 1.0' : ''

/** What is signed in each form that a server of this page may take. */
const formsOf = (
  given: Signed,
  { page, id }: { readonly page: SnapPage; readonly id: string },
): Payload[] => [
  payloadOf(given),
  ...(page.version === '1.0' ? [oldPayloadOf(given, buttonIndex(page, id))] : []),
]

/** Something in each field that begins empty: a server may ask for it. */
function entered({ ui: { elements } }: SnapPage): Inputs {
  const values = Object.values(elements).flatMap(({ type, props }): [string, SnapValue][] => {
    if (type === 'input' && !props.defaultValue) return [[props.name, '1']]
    if (type !== 'toggle_group' || props.defaultValue !== undefined) return []
    const [first] = props.values ?? props.options
    return [[props.name, props.multiple ? [first!] : first!]]
  })
  return Object.fromEntries(values)
}

function firstButton({ ui: { elements } }: SnapPage) {
  for (const [id, { on }] of Object.entries(elements)) {
    if (on?.press.action === 'submit') return { id, target: on.press.params.target }
  }
  return undefined
}
