type Props = {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

/** The next page of a list: on demand, so that a list never grows by itself. */
export function MoreButton({ hasNextPage, isFetchingNextPage, fetchNextPage }: Props) {
  if (!hasNextPage) return null
  return (
    <button
      type="button"
      className="more"
      disabled={isFetchingNextPage}
      onClick={() => fetchNextPage()}
    >
      {isFetchingNextPage ? 'Loading …' : 'Show more'}
    </button>
  )
}
