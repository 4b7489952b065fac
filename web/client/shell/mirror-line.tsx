import { useQuery } from '@tanstack/react-query'
import { fetchJson } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'

type Mirror = {
  readonly host: string
  readonly scope: 'all' | 'chosen'
  readonly lagSeconds: number
  readonly isComplete: boolean
}

const REFRESH_MS = 30_000

/** The hub that this server mirrors; undefined when it has people of its own. */
export function useMirror(): Mirror | undefined {
  const { data } = useQuery({
    queryKey: ['mirror'],
    queryFn: async () => (await fetchJson<{ mirror?: Mirror }>('/hub/v1/info')).mirror ?? null,
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.data ? REFRESH_MS : false),
  })
  return data ?? undefined
}

/** Whose data these are, below the name of the place. */
export function MirrorLine() {
  const mirror = useMirror()
  if (!mirror) return null
  const { host, lagSeconds, isComplete } = mirror
  return (
    <p className="muted">
      {isComplete
        ? rich('Mirror of {host}, {lagSeconds} s behind', { host: <bdi>{host}</bdi>, lagSeconds })
        : rich('Mirror of {host}, which is being read', { host: <bdi>{host}</bdi> })}
    </p>
  )
}
