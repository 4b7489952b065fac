import type { Inputs } from './inputs.ts'
import type { SnapPage } from './types.ts'

// What a press signs, in the form of each version. The web client, apps and the tools of developers press alike.

/** The cast in which a snap is shown; undefined where it stands alone. */
export type Surface = { readonly hash: string; readonly fid: number } | undefined

export type Signed = {
  readonly fid: number
  /** Where it goes. */
  readonly target: string
  readonly inputs: Inputs
  /** Unix seconds. */
  readonly timestamp: number
  readonly surface: Surface
}

export const payloadOf = ({ fid, target, inputs, timestamp, surface }: Signed) => ({
  ...{ fid, inputs, timestamp, audience: new URL(target).origin, user: { fid } },
  surface: surface
    ? { type: 'cast', cast: { hash: surface.hash, author: { fid: surface.fid } } }
    : { type: 'standalone' },
})

/** In the form of version 1.0, which has the place of the button. */
export const oldPayloadOf = ({ fid, inputs, timestamp }: Signed, button_index: number) => ({
  ...{ fid, inputs, timestamp, button_index },
})

/** The place of a button among those of its page; 0 for another element. */
export const buttonIndex = ({ ui: { elements } }: SnapPage, id: string): number =>
  Math.max(
    0,
    Object.keys(elements)
      .filter((one) => elements[one]!.type === 'button')
      .indexOf(id),
  )

type Answered = {
  readonly status?: number | undefined
  readonly page?: unknown
  readonly error?: string | undefined
}

/** With which a server refuses what it cannot read or verify. Others say that it read the press. */
const UNREAD_STATUSES = [400, 401, 422]

/** Sends a press; one on a page of version 1.0 in its form, too, once the server has refused the first. */
export async function sendPress<A extends Answered>(
  press: Signed,
  { page, id }: { readonly page: SnapPage; readonly id: string },
  send: (payload: object) => Promise<A>,
): Promise<A> {
  const first = await send(payloadOf(press))
  const { status = 0 } = first
  if (page.version !== '1.0' || !UNREAD_STATUSES.includes(status)) return first
  const second = await send(oldPayloadOf(press, buttonIndex(page, id)))
  // What a server of version 2 says about the first form is what its user should read.
  return second.page ? second : first
}
