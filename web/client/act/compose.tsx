import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { t } from '../../shared/messages.ts'
import { callApp } from '../api.ts'
import { Original } from '../parts/original.tsx'
import { Failed, Loading, Shown } from '../parts/states.tsx'
import { Title } from '../parts/title.tsx'
import { useSession } from '../session/session.tsx'
import type { Cast } from '../types.ts'
import { Composer } from './composer.tsx'
import { placeOf } from './drafts.ts'
import { joinPath } from './join-path.ts'

/** The screen on which one writes: a cast, a reply, a quote, or in a channel. */
export function Component() {
  const { fid } = useSession()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const here = useLocation()
  const [params] = useSearchParams()
  const reply = useCast(params.get('reply'))
  const quote = useCast(params.get('quote'))
  const failed = reply.error ?? quote.error
  if (fid === undefined) {
    return (
      <Shown
        isScreen
        icon="person"
        heading={t('Join to write')}
        action={{ text: t('Join'), run: () => navigate(joinPath(here)) }}
      />
    )
  }
  if (failed) return <Failed error={failed} isScreen />
  if (reply.isLoading || quote.isLoading) return <Loading what={t('Loading the {post}')} rows={1} />
  const place = placeOf(params)
  const heading = reply.data ? t('Reply') : quote.data ? t('Quote') : t('New {post}')
  const sent = async (hash: string) => {
    await queries.invalidateQueries()
    navigate(reply.data ? `/cast/${reply.data.hash}` : `/cast/${hash}`)
  }
  return (
    <div className="form-screen">
      <Title>{heading}</Title>
      <h1>{heading}</h1>
      {reply.data && <Original cast={reply.data} />}
      <Composer
        key={`${fid} ${place}`}
        place={place}
        parent={reply.data}
        quote={quote.data}
        channelId={params.get('channel') ?? undefined}
        given={here.state?.given}
        sent={sent}
      />
      {quote.data && <Original cast={quote.data} />}
    </div>
  )
}

const useCast = (hash: string | null) =>
  useQuery({
    queryKey: ['/cast', hash],
    queryFn: async ({ signal }) => {
      const query = { identifier: hash ?? '', type: 'hash' }
      return (await callApp<{ cast: Cast }>('/cast', { query, signal })).cast
    },
    enabled: hash !== null,
  })
