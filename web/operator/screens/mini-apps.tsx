import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Empty } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { cleanText } from '../../shared/text.ts'
import { ask, type MiniApp, type Report } from '../api.ts'
import { miniAppDecision } from '../decisions.ts'
import { Act } from '../parts/act.tsx'
import { Decide, type Decision } from '../parts/decide.tsx'
import { ReportCard } from '../parts/report-card.tsx'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'

const REPORTS = 200
const LIMIT = 100
/** Characters of a name of DNS with a port. */
const MAX_HOST = 260
const FEATURED = '/platform/featured-mini-apps'

type Apps = {
  readonly result: { readonly apps: readonly MiniApp[] }
  readonly next?: { readonly cursor: string }
}
type OnDecide = (one: Decision) => void

export function MiniAppsScreen() {
  const [decision, setDecision] = useState<Decision>()
  return (
    <>
      {decision && <Decide decision={decision} onClose={() => setDecision(undefined)} />}
      <Reported onDecide={setDecision} />
      <AllApps onDecide={setDecision} />
      <BlockHost onDecide={setDecision} />
      <Featured />
    </>
  )
}

function Reported({ onDecide }: { onDecide: OnDecide }) {
  const reports = useQuery({
    queryKey: ['reports', 'miniapps'],
    queryFn: () =>
      ask<{ result: { reports: Report[] } }>('/moderation/reports', { query: { limit: REPORTS } }),
  })
  return (
    <Section heading={t('Reported mini apps')} note={t('Open reports, the oldest first.')}>
      <Loaded query={reports}>
        {({ result }) => {
          const ofApps = result.reports.filter(({ miniAppDomain }) => miniAppDomain !== null)
          if (ofApps.length === 0) return <Empty heading={t('No mini app is reported')} />
          return (
            <ul className="cards">
              {ofApps.map((report) => (
                <ReportCard key={report.id} report={report} onDecide={onDecide} />
              ))}
            </ul>
          )
        }}
      </Loaded>
    </Section>
  )
}

function AllApps({ onDecide }: { onDecide: OnDecide }) {
  const apps = useInfiniteQuery({
    queryKey: ['mini apps'],
    queryFn: ({ pageParam: cursor }) =>
      ask<Apps>('/platform/mini-apps', { query: { limit: LIMIT, ...(cursor && { cursor }) } }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next?.cursor,
  })
  return (
    <Section
      heading={t('All mini apps')}
      note={t('With what is wrong about their manifests, which are read once a day.')}
    >
      <Loaded query={apps}>
        {({ pages }) => (
          <Found apps={pages.flatMap(({ result }) => result.apps)} onDecide={onDecide} />
        )}
      </Loaded>
      {apps.hasNextPage && (
        <div>
          <button
            type="button"
            className="secondary"
            disabled={apps.isFetchingNextPage}
            onClick={() => void apps.fetchNextPage()}
          >
            {t('Show more')}
          </button>
        </div>
      )}
    </Section>
  )
}

function BlockHost({ onDecide }: { onDecide: OnDecide }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const host = String(new FormData(event.currentTarget).get('host') ?? '').trim()
    onDecide(miniAppDecision(host, 'block'))
  }
  return (
    <Section
      heading={t('Block a host')}
      note={t(
        'For a server of snaps, which are cards in posts, and for an app that nobody has listed yet.',
      )}
    >
      <form className="stacked" onSubmit={submit}>
        <label className="field">
          <span>{t('Host, such as poll.example')}</span>
          <input name="host" required maxLength={MAX_HOST} autoComplete="off" spellCheck={false} />
        </label>
        <p className="buttons">
          <button type="submit" className="secondary">
            {t('Block this host')}
          </button>
        </p>
      </form>
    </Section>
  )
}

function Found({ apps, onDecide }: { apps: readonly MiniApp[]; onDecide: OnDecide }) {
  if (apps.length === 0) return <Empty heading={t('No mini app is listed')} />
  return (
    <Rows
      label={t('Mini apps')}
      heads={[t('App'), t('State'), t('Users'), t('Last read'), t('Act')]}
      rows={apps.map((app) => ({
        key: app.domain,
        cells: [
          <Name key="name" app={app} />,
          <State key="state" app={app} />,
          t(
            '{people, plural, one {# added} other {# added}}, {openers, plural, one {# opened} other {# opened}}',
            { people: app.people, openers: app.openers },
          ),
          <Time key="read" at={app.lookedAt} />,
          <Actions key="act" app={app} onDecide={onDecide} />,
        ],
      }))}
    />
  )
}

const Name = ({ app: { domain, name, authorFid } }: { app: MiniApp }) => (
  <>
    <bdi>{cleanText(domain)}</bdi> <bdi>{cleanText(name)}</bdi>{' '}
    <span className="muted">
      {authorFid === undefined
        ? t('author not verified')
        : t('by account {fid}', { fid: String(authorFid) })}
    </span>
  </>
)

/** The state of an app with its causes: what is wrong about its manifest, and what is less than that. */
function State({ app: { state, faults } }: { app: MiniApp }) {
  const errors = faults.filter(({ severity }) => severity === 'error')
  const warnings = faults.filter(({ severity }) => severity === 'warning')
  return (
    <>
      <span className={state === 'listed' ? undefined : 'fault'}>{state}</span>
      <FaultList faults={errors} className="fault" />
      {warnings.length > 0 && (
        <details>
          <summary>
            {t('{count, plural, one {# warning} other {# warnings}}', { count: warnings.length })}
          </summary>
          <FaultList faults={warnings} className="muted" />
        </details>
      )}
    </>
  )
}

type FaultsProps = { readonly faults: MiniApp['faults']; readonly className: string }

const FaultList = ({ faults, className }: FaultsProps) => (
  <ul className={className}>
    {faults.map(({ path, message, fix }) => (
      <li key={`${path} ${message}`}>
        <bdi>{cleanText(`${path ? `${path} ` : ''}${message}. ${fix}`)}</bdi>
      </li>
    ))}
  </ul>
)

function Actions({ app, onDecide }: { app: MiniApp; onDecide: OnDecide }) {
  const { domain, state } = app
  const action = state === 'removed' ? 'restore' : 'remove'
  return (
    <div className="buttons">
      <button
        type="button"
        className="secondary"
        onClick={() => onDecide(miniAppDecision(domain, action))}
      >
        {action === 'remove' ? t('Remove {domain}', { domain }) : t('Restore {domain}', { domain })}
      </button>
      {state !== 'removed' && (
        <Act
          text={t('Read {domain} again', { domain })}
          path="/platform/refreshed-mini-apps"
          body={{ domain }}
          done={t('Read.')}
        />
      )}
    </div>
  )
}

function Featured() {
  const featured = useQuery({
    queryKey: ['featured'],
    queryFn: () => ask<Apps>(FEATURED),
  })
  return (
    <Section
      heading={t('Featured mini apps')}
      note={t('The list that the web client shows as Featured, in this order.')}
    >
      <Loaded query={featured}>
        {({ result }) => {
          const text = result.apps.map(({ domain }) => domain).join('\n')
          return <FeaturedForm key={text} known={text} />
        }}
      </Loaded>
    </Section>
  )
}

function FeaturedForm({ known }: { known: string }) {
  const queries = useQueryClient()
  const [text, setText] = useState(known)
  const save = useMutation({
    mutationFn: () => {
      const domains = text.split('\n').flatMap((line) => line.trim() || [])
      return ask(FEATURED, { method: 'PUT', body: { domains } })
    },
    onSuccess: () => queries.invalidateQueries(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="stacked" onSubmit={submit}>
      <label className="field">
        <span>{t('Domains, one a line')}</span>
        <textarea
          rows={5}
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <p className="buttons">
        <button type="submit" className="primary" disabled={save.isPending || text === known}>
          {t('Save the list')}
        </button>
        <span role="status" className={save.error ? 'fault' : 'muted'}>
          {save.error && <bdi>{cleanText(save.error.message)}</bdi>}
        </span>
      </p>
    </form>
  )
}
