// Who has to join first comes back to what was asked for.

type Place = { readonly pathname: string; readonly search: string }

export const joinPath = ({ pathname, search }: Place): string =>
  pathname === '/' && search === ''
    ? '/join'
    : `/join?${new URLSearchParams({ back: pathname + search })}`

/** The page to go to after joining: one of this client. */
export function pathAfterJoining(params: URLSearchParams): string {
  const back = params.get('back') ?? '/'
  return /^\/(?![/\\])/.test(back) ? back : '/'
}
