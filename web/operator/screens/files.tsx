import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Empty, Failed } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { ask, type LostFiles } from '../api.ts'
import { Rows, Section } from '../parts/section.tsx'
import { bytesText } from '../text.ts'

/** Pictures and videos whose bytes are lost. All are looked at, a page after the other, while the screen is open. */
export function FilesScreen() {
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: ['lost files'],
    queryFn: ({ pageParam }) =>
      ask<LostFiles>(`/media/lost${pageParam === null ? '' : `?after=${pageParam}`}`),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
  const mayGoOn = hasNextPage && !isFetching && !error
  useEffect(() => {
    if (mayGoOn) void fetchNextPage()
  }, [mayGoOn, fetchNextPage])
  const pages = data?.pages ?? []
  const looked = pages.reduce((sum, page) => sum + page.looked, 0)
  const isWhole = data !== undefined && !hasNextPage
  return (
    <Section
      heading={t('Lost pictures and videos')}
      note={t(
        'Files whose bytes are gone, or of which a part is missing, such as objects that a rule of a bucket removed. Visitors get 404. Whoever uploads the same file again mends it, at the same address.',
      )}
    >
      {error ? (
        <Failed error={error} retry={() => void fetchNextPage()} />
      ) : (
        <p role="status">
          {isWhole
            ? t('Looked at {looked} of {files} files.', { looked, files: pages[0]?.files ?? '…' })
            : t('Looking at {looked} of {files} files.', { looked, files: pages[0]?.files ?? '…' })}
        </p>
      )}
      <Lost lost={pages.flatMap((page) => page.lost)} isWhole={isWhole} />
    </Section>
  )
}

function Lost({ lost, isWhole }: { lost: LostFiles['lost']; isWhole: boolean }) {
  if (lost.length === 0) return isWhole ? <Empty heading={t('No file is lost')} /> : null
  return (
    <Rows
      label={t('Lost files')}
      heads={[t('File'), t('Uploaded by'), t('Has'), t('Is there')]}
      rows={lost.map(({ path, fids, bytes, found }) => ({
        key: path,
        cells: [
          <code key="path">{path}</code>,
          fids.map((fid) => (fid === 0 ? 'the operator' : `fid ${fid}`)).join(', '),
          bytesText(bytes),
          found === 0 ? 'nothing' : bytesText(found),
        ],
      }))}
    />
  )
}
