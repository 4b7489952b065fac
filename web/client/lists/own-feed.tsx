import { t } from '../../shared/messages.ts'
import { CastList } from '../parts/cast-list.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { useOwnFeed } from './own-lists.ts'

/** What was written with the tags that one follows or, with the id of a list, by the people on it. */
export default function OwnFeed({ list }: { list?: string | undefined }) {
  const feed = useOwnFeed(list)
  if (feed.isPending) return <Loading what={t('Loading {posts}')} />
  if (!feed.data) return <Failed error={feed.error} retry={feed.refetch} />
  return (
    <CastList
      casts={feed.data.pages.flatMap((page) => page.casts)}
      pages={feed}
      empty={list === undefined ? <NothingTagged /> : <NothingOnList list={list} />}
    />
  )
}

const NothingTagged = () => (
  <Empty
    icon="tag"
    heading={t('{Posts} with tags that you follow appear here')}
    action={{ text: t('Find tags'), to: '/search' }}
  />
)

const NothingOnList = ({ list }: { list: string }) => (
  <Empty
    icon="person"
    heading={t('{Posts} of the people on this list appear here')}
    action={{ text: t('Add people'), to: `/lists/${list}` }}
  />
)
