import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { PersonPicker } from '../../client/parts/person-picker.tsx'
import { Empty } from '../../client/parts/states.tsx'
import { type LogFilter, LogFilterForm, logQuery, WHOLE_LOG } from '../../shared/log-filter.tsx'
import { actText, whyText } from '../../shared/log-words.ts'
import { t } from '../../shared/messages.ts'
import {
  actorText,
  type ModerationStatistics,
  Statistics,
} from '../../shared/moderation-statistics.tsx'
import { rich } from '../../shared/rich.tsx'
import { ask, type Case, isFrontDoor, type LogEntry } from '../api.ts'
import {
  accountDecision as account,
  castDecision as cast,
  handleOf,
  miniAppDecision as miniApp,
} from '../decisions.ts'
import { Decide, type Decision } from '../parts/decide.tsx'
import { NewAccounts } from '../parts/new-accounts.tsx'
import { ReportCard } from '../parts/report-card.tsx'
import { Loaded, Rows, Section, ShowMore } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'
import { ToTheQueue } from '../parts/to-the-queue.tsx'
import { type Found, findPeople, staffQuery } from '../parts/who.tsx'

const LIMIT = 50
/** Also within a link to the post. */
const HASH = '.*0x[0-9a-fA-F]{40}.*'
const DOMAIN = '[^\\s]{1,260}'
/** Meanwhile somebody else may hold the name: the call says who does now. */
const takeName = ({ fid, name: taken = '' }: Found): Decision => ({
  title: t('Take the name {taken}', { taken }),
  consequence: t('The name is released from account {fid}, and can be registered again.', {
    fid: String(fid),
  }),
  path: `/moderation/names/${encodeURIComponent(taken)}/take`,
  body: { fid },
})

/** What may be done by hand to an account. */
const ON_ACCOUNTS = {
  suspend: [t('Suspend an account'), (person: Found) => account(person, 'suspend')],
  restore: [t('Restore an account'), (person: Found) => account(person, 'restore')],
  limit: [t('Limit an account'), (person: Found) => account(person, 'limit')],
  unlimit: [t('End the limit of an account'), (person: Found) => account(person, 'unlimit')],
  take: [t('Take a name'), takeName],
} as const
/** What may be done by hand to what is named otherwise: the field, and what of a text in it is meant. */
const ON_OTHERS = {
  hide: [t('Hide {aPost}'), t('Hash of the {post}'), HASH, (hash: string) => cast(hash, 'hide')],
  unhide: [
    t('Show {aPost}'),
    t('Hash of the {post}'),
    HASH,
    (hash: string) => cast(hash, 'unhide'),
  ],
  remove: [
    t('Remove a mini app'),
    t('Domain'),
    DOMAIN,
    (domain: string) => miniApp(domain, 'remove'),
  ],
  restoreApp: [
    t('Restore a mini app'),
    t('Domain'),
    DOMAIN,
    (domain: string) => miniApp(domain, 'restore'),
  ],
} as const
type OnAccounts = keyof typeof ON_ACCOUNTS
type OnOthers = keyof typeof ON_OTHERS
const isOnAccounts = (action: OnAccounts | OnOthers): action is OnAccounts => action in ON_ACCOUNTS

export function ModerationScreen() {
  const [decision, setDecision] = useState<Decision>()
  return (
    <>
      {decision && <Decide decision={decision} onClose={() => setDecision(undefined)} />}
      <Section heading={t('Open reports')}>
        {isFrontDoor ? <ToTheQueue of="reports" /> : <Cases onDecide={setDecision} />}
      </Section>
      <Section heading={t('Numbers of the last half year')}>
        <Numbers />
      </Section>
      <Section heading={t('Act by hand')}>
        <ActForm onDecide={setDecision} />
      </Section>
      <NewAccounts />
      <Section heading={t('Log')}>
        <Log />
      </Section>
    </>
  )
}

/** What is reported, with what it says. The port of the operator has no client in which to read around it. */
function Cases({ onDecide }: { onDecide: (one: Decision) => void }) {
  const cases = useQuery({
    queryKey: ['cases'],
    queryFn: () =>
      ask<{ result: { cases: Case[]; names: Readonly<Record<number, string>> } }>(
        '/moderation/cases',
        { query: { limit: LIMIT } },
      ),
  })
  return (
    <Loaded query={cases}>
      {({ result }) =>
        result.cases.length === 0 ? (
          <Empty heading={t('No open reports')} />
        ) : (
          <>
            <p className="muted">
              {t(
                'The longest waiting first. With pictures, threads and what was decided before they are in the web client, under Moderate, for accounts with a role.',
              )}
            </p>
            <ul className="cards">
              {result.cases.map(({ reports: [report, ...others], id, castText }) => (
                <ReportCard
                  key={id}
                  report={report!}
                  others={others}
                  castText={castText}
                  names={result.names}
                  onDecide={onDecide}
                />
              ))}
            </ul>
          </>
        )
      }
    </Loaded>
  )
}

const useStaff = () => useQuery(staffQuery).data?.staff

function Log() {
  const [filter, setFilter] = useState(WHOLE_LOG)
  return (
    <>
      <LogFilterForm filter={filter} choose={setFilter} useStaff={useStaff} />
      <LogRows filter={filter} />
    </>
  )
}

function LogRows({ filter }: { filter: LogFilter }) {
  const log = useInfiniteQuery({
    queryKey: ['log', filter],
    queryFn: ({ pageParam: cursor }) =>
      ask<LogPage>('/moderation/log', {
        query: { limit: LIMIT, ...logQuery(filter), ...(cursor && { cursor }) },
      }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next?.cursor,
    placeholderData: keepPreviousData,
  })
  return (
    <Loaded query={log}>
      {({ pages }) =>
        pages.every(({ result }) => result.entries.length === 0) ? (
          <>
            <Empty
              heading={filter === WHOLE_LOG ? t('Nothing was decided yet') : t('Nothing matches')}
            />
            <SearchedBack pages={pages} />
            <ShowMore query={log} />
          </>
        ) : (
          <>
            <Rows
              label={t('Log of moderation')}
              heads={[t('When'), t('Who'), t('What'), t('Why')]}
              rows={pages
                .flatMap(({ result }) => result.entries)
                .map((entry) => ({
                  key: entry.id,
                  cells: [
                    <Time key="at" at={entry.at} />,
                    <bdi key="by" className="who-acted">
                      {actorText({ actor: entry.actor, username: entry.actorUsername })}
                    </bdi>,
                    <Done key="done" entry={entry} />,
                    <bdi key="why">{whyText(entry)}</bdi>,
                  ],
                }))}
            />
            <SearchedBack pages={pages} />
            <ShowMore query={log} />
          </>
        )
      }
    </Loaded>
  )
}

type LogPage = {
  readonly result: { readonly entries: readonly LogEntry[]; readonly searchedSince?: number }
  readonly next?: { readonly cursor: string }
}

/** How far back the last page looked, where that is less far than the log goes. */
function SearchedBack({ pages }: { pages: readonly LogPage[] }) {
  const since = pages.at(-1)?.result.searchedSince
  return (
    since !== undefined && (
      <p className="muted">{rich('Searched back to {time}.', { time: <Time at={since} /> })}</p>
    )
  )
}

/** What was done; what it was done to can be looked at where there is a client. */
function Done({ entry }: { entry: LogEntry }) {
  const { castHash, fid, username } = entry
  const who =
    username === undefined && !fid ? t('somebody') : handleOf({ fid: fid ?? 0, name: username })
  const path = castHash ? `/cast/${castHash}` : username && `/@${encodeURIComponent(username)}`
  return (
    <>
      <bdi>{actText(entry, who)}</bdi>
      {isFrontDoor && path && (
        <>
          {' '}
          <a href={path}>{castHash ? t('the {post}') : t('profile')}</a>
        </>
      )}
    </>
  )
}

function Numbers() {
  const query = useQuery({
    queryKey: ['moderation statistics'],
    queryFn: () => ask<{ result: ModerationStatistics }>('/moderation/statistics'),
  })
  return <Loaded query={query}>{({ result }) => <Statistics found={result} />}</Loaded>
}

const findNamed: typeof findPeople = async (...asked) =>
  (await findPeople(...asked)).filter(({ name }) => name !== undefined)

type OnDecide = { onDecide: (one: Decision) => void }

function ActForm({ onDecide }: OnDecide) {
  const [action, setAction] = useState<OnAccounts | OnOthers>('suspend')
  return (
    <>
      <div className="inline-form">
        <label className="field">
          <span>{t('What')}</span>
          <select
            value={action}
            onChange={(event) => setAction(event.target.value as OnAccounts | OnOthers)}
          >
            {Object.entries({ ...ON_ACCOUNTS, ...ON_OTHERS }).map(([key, [title]]) => (
              <option key={key} value={key}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      {isOnAccounts(action) ? (
        <PersonPicker
          label={t('Account')}
          help={t('Type a name, an fid or a custody address.')}
          find={action === 'take' ? findNamed : findPeople}
          choose={(person) => onDecide(ON_ACCOUNTS[action][1](person))}
        />
      ) : (
        <OtherForm key={action} action={action} onDecide={onDecide} />
      )}
    </>
  )
}

function OtherForm({ action, onDecide }: OnDecide & { action: OnOthers }) {
  const [text, setText] = useState('')
  const [, label, pattern, decide] = ON_OTHERS[action]
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onDecide(decide(pattern === HASH ? (/0x[0-9a-fA-F]{40}/.exec(text)?.[0] ?? '') : text.trim()))
  }
  return (
    <form className="inline-form" onSubmit={submit}>
      <label className="field grow">
        <span>{label}</span>
        <input
          required
          pattern={pattern}
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <button type="submit" className="primary">
        {t('Continue')}
      </button>
    </form>
  )
}
