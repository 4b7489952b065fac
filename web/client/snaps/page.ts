import type { SnapElement, SnapPress } from '../../../src/features/snaps/elements.ts'
import { firstInputs, type Inputs } from '../../../src/features/snaps/inputs.ts'
import { payloadOf, type Surface, sendPress } from '../../../src/features/snaps/pressing.ts'
import type { SnapPage, SnapValue } from '../../../src/features/snaps/types.ts'
import { t } from '../../shared/messages.ts'
import { fetchJson } from '../../shared/request.ts'
import { signJfs } from '../act/jfs.ts'
import type { BrowserKey } from '../act/key-store.ts'
import { networkNow } from '../act/network.ts'

export type { Inputs, SnapElement, SnapPage, SnapPress, SnapValue, Surface }
export { firstInputs }

/** The snap of a link, as its preview has it. */
export type PreviewedSnap = {
  readonly url: string
  readonly page?: SnapPage
  readonly newerVersion?: string
}

export type Answer = { readonly status: number; readonly page?: SnapPage; readonly error?: string }

type Press = {
  readonly target: string
  readonly inputs: Inputs
  readonly surface: Surface
}

/** The next page after a press on a button of a page. An Error says why there is none, in words for the user. */
export async function press(
  fid: number,
  button: { readonly page: SnapPage; readonly id: string },
  given: Press,
  send: Send,
): Promise<SnapPage> {
  const timestamp = await newTimestamp()
  const { page, error = t('The server sent no page.') } = await sendPress(
    { fid, timestamp, ...given },
    button,
    (payload) => send(given.target, payload),
  )
  if (page) return page
  throw new Error(error)
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
export const viewPayload = async (fid: number, target: string, surface: Surface) =>
  payloadOf({ fid, target, inputs: {}, timestamp: await networkNow(), surface })

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
