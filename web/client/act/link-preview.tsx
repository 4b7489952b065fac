import { useQuery } from '@tanstack/react-query'
import { Icon } from '../../shared/icons.tsx'
import { fetchJson } from '../../shared/request.ts'
import { Picture } from '../parts/picture.tsx'

type Preview = {
  readonly kind: 'page' | 'picture'
  readonly title?: string
  readonly description?: string
  readonly picture?: string
  readonly site: string
}

/** What an address leads to, as the page there says. Without an answer, the address itself. */
export function LinkPreview({ url, remove }: { url: string; remove?: () => void }) {
  const { data } = useQuery({
    queryKey: ['preview', url],
    queryFn: ({ signal }) => fetchJson<Preview>('/preview', { query: { url }, signal }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <div className="preview">
      {data?.picture && (
        <Picture url={data.picture} width={640} alt="" className="preview-picture" />
      )}
      <div className="preview-text">
        <bdi className="muted">{data?.site ?? new URL(url).host}</bdi>
        <bdi className="preview-title">{data?.title ?? url}</bdi>
        {data?.description && <bdi className="muted clamp">{data.description}</bdi>}
      </div>
      {remove && (
        <button type="button" className="icon-button" aria-label="Do not attach" onClick={remove}>
          <Icon name="cross" />
        </button>
      )}
    </div>
  )
}
