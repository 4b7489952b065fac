import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Failed, Loading } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'

/** A part of a screen with its heading. */
export function Section({
  heading,
  note,
  children,
}: {
  heading: string
  note?: ReactNode
  children: ReactNode
}) {
  return (
    <section className="room-section">
      <h2>{heading}</h2>
      {note && <p className="muted">{note}</p>}
      {children}
    </section>
  )
}

/** What was asked for, or that it is coming, or why it does not come. */
export function Loaded<T>({
  query,
  children,
}: {
  query: UseQueryResult<T>
  children: (data: T) => ReactNode
}) {
  const { data, error, refetch } = query
  if (data !== undefined) return children(data)
  if (error) return <Failed error={error} retry={() => void refetch()} />
  return <Loading what={t('Loading')} rows={2} />
}

/** Rows of facts; on a phone each is a card. */
export function Rows({
  label,
  heads,
  rows,
}: {
  label: string
  heads: readonly string[]
  rows: readonly { key: string | number; cells: readonly ReactNode[] }[]
}) {
  return (
    <table className="rows" aria-label={label}>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells }) => (
          <tr key={key}>
            {cells.map((cell, at) => (
              <td key={heads[at]} data-head={heads[at]}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The button for the next page, where there is one. */
export const ShowMore = ({
  query: { hasNextPage, isFetchingNextPage, fetchNextPage },
}: {
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>
}) =>
  hasNextPage && (
    <div>
      <button
        type="button"
        className="secondary"
        disabled={isFetchingNextPage}
        onClick={() => void fetchNextPage()}
      >
        {t('Show more')}
      </button>
    </div>
  )
