import type { SnapElement, SnapPress } from '../../../src/features/snaps/elements.ts'
import type { SnapPage, SnapValue } from '../../../src/features/snaps/types.ts'
import { fetchJson } from '../../shared/request.ts'
import { signJfs } from '../act/jfs.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { networkNow } from '../act/network.ts'

export type { SnapElement, SnapPage, SnapPress, SnapValue }

export type Inputs = Readonly<Record<string, SnapValue>>

/** The snap of a link, as its preview has it. */
export type PreviewedSnap = {
  readonly url: string
  readonly page?: SnapPage
  readonly newerVersion?: string
}

/** The cast in which a snap is shown; undefined where it stands alone. */
export type Surface = { readonly hash: string; readonly fid: number } | undefined

type Answer = { readonly status: number; readonly page?: SnapPage; readonly error?: string }

type Press = {
  readonly target: string
  readonly inputs: Inputs
  readonly surface: Surface
  /** The version of the page with the button. */
  readonly version: SnapPage['version']
  /** The place of the button among those of its page, which servers of version 1 ask for. */
  readonly buttonIndex: number
}

/** The values that a page begins with: what it says itself, else those of its elements. */
export function firstInputs({ ui: { elements, state } }: SnapPage): Inputs {
  const own = Object.values(elements).flatMap((element): [string, SnapValue][] => {
    const value = defaultOf(element)
    return value === undefined ? [] : [[(element.props as { name: string }).name, value]]
  })
  return { ...Object.fromEntries(own), ...state?.inputs }
}

function defaultOf({ type, props }: SnapElement): SnapValue | undefined {
  switch (type) {
    case 'input':
      return props.defaultValue ?? ''
    case 'slider':
      return props.defaultValue ?? (props.min + props.max) / 2
    case 'switch':
      return props.defaultChecked ?? false
    case 'toggle_group':
      return props.multiple ? [props.defaultValue ?? []].flat() : [props.defaultValue].flat()[0]
    default:
      return undefined
  }
}

/** The next page after a press. An Error says why there is none, in words for the user. */
export async function press(key: BrowserKey, given: Press): Promise<SnapPage> {
  const timestamp = await newTimestamp()
  const { target, inputs, surface, version, buttonIndex } = given
  const { fid } = key
  const first = await send(key, target, {
    ...{ fid, inputs, timestamp, audience: new URL(target).origin, user: { fid } },
    surface: surfaceOf(surface),
  })
  const isRefused = version === '1.0' && first.status >= 400 && first.status < 500
  const answer = isRefused
    ? await send(key, target, { fid, inputs, timestamp, button_index: buttonIndex })
    : first
  if (answer.page) return answer.page
  // What a server of version 2 says about the first form is what its user should read.
  throw new Error(first.error ?? answer.error ?? 'The server sent no page.')
}

let lastTimestamp = 0

/** Later than that of the press before: the server takes the same signature for the same press, sent again. */
async function newTimestamp(): Promise<number> {
  lastTimestamp = Math.max(lastTimestamp + 1, await networkNow())
  return lastTimestamp
}

/** The page as a user sees it: its server learns who looks. Undefined when it has none for this user. */
export async function viewAs(
  key: BrowserKey,
  target: string,
  surface: Surface,
): Promise<SnapPage | undefined> {
  const { fid } = key
  const { origin } = new URL(target)
  const payload = {
    ...{ fid, inputs: {}, timestamp: await networkNow(), audience: origin, user: { fid } },
    surface: surfaceOf(surface),
  }
  const body = { target, ...(await signJfs(key, JSON.stringify(payload))) }
  return (await fetchJson<Answer>('/snap/view', { method: 'POST', body })).page
}

const surfaceOf = (surface: Surface) =>
  surface
    ? { type: 'cast', cast: { hash: surface.hash, author: { fid: surface.fid } } }
    : { type: 'standalone' }

const send = async (key: BrowserKey, target: string, payload: object): Promise<Answer> =>
  fetchJson<Answer>('/snap/press', {
    method: 'POST',
    body: { target, ...(await signJfs(key, JSON.stringify(payload))) },
  })

/** The first page at the address that another snap opens. */
export async function openPage(url: string): Promise<PreviewedSnap | undefined> {
  return (await fetchJson<{ snap?: PreviewedSnap }>('/preview', { query: { url } })).snap
}
