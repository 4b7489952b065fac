import type { SnapElement, SnapPress } from '../../../src/features/snaps/elements.ts'
import { firstInputs, type Inputs } from '../../../src/features/snaps/inputs.ts'
import type { SnapPage, SnapValue } from '../../../src/features/snaps/types.ts'
import { fetchJson } from '../../shared/request.ts'
import { signJfs } from '../act/jfs.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { networkNow } from '../act/network.ts'

export type { Inputs, SnapElement, SnapPage, SnapPress, SnapValue }
export { firstInputs }

/** The snap of a link, as its preview has it. */
export type PreviewedSnap = {
  readonly url: string
  readonly page?: SnapPage
  readonly newerVersion?: string
}

/** The cast in which a snap is shown; undefined where it stands alone. */
export type Surface = { readonly hash: string; readonly fid: number } | undefined

export type Answer = { readonly status: number; readonly page?: SnapPage; readonly error?: string }

type Press = {
  readonly target: string
  readonly inputs: Inputs
  readonly surface: Surface
  /** The version of the page with the button. */
  readonly version: SnapPage['version']
  /** The place of the button among those of its page, which servers of version 1 ask for. */
  readonly buttonIndex: number
}

/** The next page after a press. An Error says why there is none, in words for the user. */
export async function press(fid: number, given: Press, send: Send): Promise<SnapPage> {
  const timestamp = await newTimestamp()
  const { target, inputs, surface, version, buttonIndex } = given
  const first = await send(target, {
    ...{ fid, inputs, timestamp, audience: new URL(target).origin, user: { fid } },
    surface: surfaceOf(surface),
  })
  const isRefused = version === '1.0' && first.status >= 400 && first.status < 500
  const answer = isRefused
    ? await send(target, { fid, inputs, timestamp, button_index: buttonIndex })
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
  const payload = await viewPayload(key.fid, target, surface)
  const body = { target, ...(await signJfs(key, JSON.stringify(payload))) }
  return (await fetchJson<Answer>('/snap/view', { method: 'POST', body })).page
}

/** What a user signs to be shown a page of their own. */
export const viewPayload = async (fid: number, target: string, surface: Surface) => ({
  ...{ fid, inputs: {}, timestamp: await networkNow(), audience: new URL(target).origin },
  ...{ user: { fid }, surface: surfaceOf(surface) },
})

const surfaceOf = (surface: Surface) =>
  surface
    ? { type: 'cast', cast: { hash: surface.hash, author: { fid: surface.fid } } }
    : { type: 'standalone' }

/** Signs what a user has pressed and sends it. */
export type Send = (target: string, payload: object) => Promise<Answer>

/** Through the server, so that the other one does not learn the address of the user. */
export const sendAs =
  (key: BrowserKey): Send =>
  async (target, payload) =>
    fetchJson<Answer>('/snap/press', {
      method: 'POST',
      body: { target, ...(await signJfs(key, JSON.stringify(payload))) },
    })

/** The first page at the address that another snap opens. */
export async function openPage(url: string): Promise<PreviewedSnap | undefined> {
  return (await fetchJson<{ snap?: PreviewedSnap }>('/preview', { query: { url } })).snap
}
