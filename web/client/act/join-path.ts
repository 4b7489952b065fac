// Who has to join first comes back to what was asked for.

export type Place = { readonly pathname: string; readonly search: string }

export const joinPath = ({ pathname, search }: Place): string =>
  pathname === '/' && search === ''
    ? '/join'
    : `/join?${new URLSearchParams({ back: pathname + search })}`

/** Where one comes back to who wanted to do something with a cast of a list. */
export const placeOfCast = ({ hash }: { hash: string }): Place => ({
  pathname: `/cast/${hash}`,
  search: '',
})

/** The page to go to after joining: one of this client. */
export function pathAfterJoining(params: URLSearchParams): string {
  const back = params.get('back') ?? '/'
  return /^\/(?![/\\])/.test(back) ? back : '/'
}
