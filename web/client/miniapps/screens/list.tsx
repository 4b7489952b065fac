import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { t } from '../../../shared/messages.ts'
import { rich } from '../../../shared/rich.tsx'
import { MoreButton } from '../../parts/more-button.tsx'
import { QueryBox, useQueryText } from '../../parts/query-box.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { Title } from '../../parts/title.tsx'
import { isDevelopment } from '../../shell/development-panel.tsx'
import { listAdded, listApps } from '../calls.ts'
import { useKey } from '../use-key.ts'
import { AppRow } from './app-row.tsx'
import './screens.css'

const TABS = [
  { to: '/miniapps', text: t('Top') },
  { to: '/miniapps?list=new', text: t('New') },
  { to: '/miniapps?list=featured', text: t('Featured') },
  { to: '/miniapps?list=recent', text: t('Recent') },
  { to: '/miniapps?list=added', text: t('Mine') },
] as const
const LISTS = ['top', 'new', 'featured', 'recent']
const JOIN = { text: t('Join or sign in'), to: '/join?back=%2Fminiapps' }

/** The mini apps of this server, and those of the viewer. */
export function Component() {
  const [params] = useSearchParams()
  const text = useQueryText()
  const list = params.get('list') ?? 'top'
  const current = list === 'top' ? '/miniapps' : `/miniapps?list=${list}`
  return (
    <>
      <Title>{t('Mini apps')}</Title>
      <header className="screen-head">
        <h1>{t('Mini apps')}</h1>
        {isDevelopment() && <Link to="/development/mini-apps">{t('Developer’s room')}</Link>}
        <Link to="/miniapps/settings">{t('Settings')}</Link>
      </header>
      <div className="app-search">
        <QueryBox label={t('Search mini apps')} value={text} placeholder={t('Search mini apps')} />
      </div>
      {text === '' && <Tabs label={t('Lists of mini apps')} tabs={TABS} current={current} />}
      {text === '' && list === 'added' ? (
        <Added />
      ) : (
        <Apps text={text} list={LISTS.includes(list) ? list : 'top'} />
      )}
    </>
  )
}

function Apps({ text, list }: { text: string; list: string }) {
  const key = useKey()
  const isOwn = text === '' && list === 'recent'
  const path = text === '' ? '/v1/mini-apps' : '/v1/mini-apps/search'
  const query = text === '' ? { list } : { q: text.slice(0, 32) }
  const found = useInfiniteQuery({
    queryKey: [path, query, isOwn && key?.fid],
    queryFn: ({ pageParam: cursor }) =>
      listApps(path, { ...query, cursor }, isOwn && key ? key : undefined),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor,
    enabled: !isOwn || Boolean(key),
  })
  if (isOwn && key === null) {
    return <Empty icon="clock" heading={t('Join to see what you opened')} action={JOIN} />
  }
  if (found.isPending) return <Loading what={t('Loading mini apps')} />
  if (found.error) return <Failed error={found.error} retry={found.refetch} />
  const apps = found.data.pages.flatMap((page) => page.apps)
  if (apps.length === 0) return <Nothing text={text} />
  return (
    <>
      {apps.map((app) => (
        <AppRow key={app.domain} app={app} />
      ))}
      <MoreButton {...found} />
    </>
  )
}

const Nothing = ({ text }: { text: string }) => (
  <Empty
    heading={text === '' ? t('There are no mini apps here yet') : t('No mini app is called that')}
    {...(text !== '' && { action: { text: t('All mini apps'), to: '/miniapps' } })}
  >
    {isDevelopment() && (
      <p>
        {rich('Yours runs without being listed: open it in the <link>developer’s room</link>.', {
          link: (inner) => <Link to="/development/mini-apps">{inner}</Link>,
        })}
      </p>
    )}
  </Empty>
)

function Added() {
  const key = useKey()
  const found = useQuery({
    queryKey: ['added mini apps', key?.fid],
    queryFn: () => listAdded(key!),
    enabled: Boolean(key),
  })
  if (key === null) {
    return <Empty icon="plus" heading={t('Join to have apps of your own')} action={JOIN} />
  }
  if (found.isPending) return <Loading what={t('Loading your mini apps')} />
  if (found.error) return <Failed error={found.error} retry={found.refetch} />
  if (found.data.apps.length === 0) {
    const action = { text: t('Find mini apps'), to: '/miniapps' }
    return <Empty icon="plus" heading={t('You have added no mini app yet')} action={action} />
  }
  return found.data.apps.map((app) => <AppRow key={app.domain} app={app} />)
}
