import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Empty, Failed } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { actorText } from '../../shared/moderation-statistics.tsx'
import { listText } from '../../shared/text.ts'
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
  const files = pages[0]?.files ?? 0
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
            ? t(
                '{files, plural, one {Looked at {looked} of # file.} other {Looked at {looked} of # files.}}',
                { looked, files },
              )
            : t(
                '{files, plural, one {Looking at {looked} of # file.} other {Looking at {looked} of # files.}}',
                { looked, files },
              )}
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
          listText(
            fids.map((fid) =>
              fid === 0 ? actorText({ actor: 'operator' }) : t('fid {fid}', { fid: String(fid) }),
            ),
          ),
          bytesText(bytes),
          found === 0 ? t('nothing') : bytesText(found),
        ],
      }))}
    />
  )
}
