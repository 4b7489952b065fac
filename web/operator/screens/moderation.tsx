import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Empty } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { type ModerationStatistics, Statistics } from '../../shared/moderation-statistics.tsx'
import { ask, type Case, isFrontDoor, type LogEntry } from '../api.ts'
import {
  accountDecision as account,
  castDecision as cast,
  miniAppDecision as miniApp,
} from '../decisions.ts'
import { byText, doneText, type Titles, whyText } from '../log-words.ts'
import { Decide, type Decision } from '../parts/decide.tsx'
import { NewAccounts } from '../parts/new-accounts.tsx'
import { ReportCard } from '../parts/report-card.tsx'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { ToTheQueue } from '../parts/to-the-queue.tsx'
import { translated } from '../setting-words.ts'
import { timeText } from '../text.ts'

const LIMIT = 50
/** `text` is a name and the fid that holds it: meanwhile somebody else may. */
const name = (text: string): Decision => {
  const [taken = '', fid] = text.split(' ')
  return {
    title: t('Take the name {taken}', { taken }),
    consequence: t('The name is released from account {fid}, and can be registered again.', {
      fid: String(fid),
    }),
    path: `/moderation/names/${encodeURIComponent(taken)}/take`,
    body: { fid: Number(fid) },
  }
}

/** What may be done by hand, to what. */
const ACTIONS = {
  suspend: [
    t('Suspend an account'),
    t('Fid'),
    '[0-9]{1,16}',
    (text: string) => account(text, 'suspend'),
  ],
  restore: [
    t('Restore an account'),
    t('Fid'),
    '[0-9]{1,16}',
    (text: string) => account(text, 'restore'),
  ],
  limit: [t('Limit an account'), t('Fid'), '[0-9]{1,16}', (text: string) => account(text, 'limit')],
  unlimit: [
    t('End the limit of an account'),
    t('Fid'),
    '[0-9]{1,16}',
    (text: string) => account(text, 'unlimit'),
  ],
  hide: [
    t('Hide {aPost}'),
    t('Hash of the {post}'),
    '0x[0-9a-fA-F]{40}',
    (text: string) => cast(text, 'hide'),
  ],
  unhide: [
    t('Show {aPost}'),
    t('Hash of the {post}'),
    '0x[0-9a-fA-F]{40}',
    (text: string) => cast(text, 'unhide'),
  ],
  take: [
    t('Take a name'),
    t('Name, and fid that holds it'),
    '[a-z0-9][a-z0-9.\\-]{0,62} [0-9]{1,10}',
    name,
  ],
  remove: [
    t('Remove a mini app'),
    t('Domain'),
    '[^\\s]{1,260}',
    (text: string) => miniApp(text, 'remove'),
  ],
  restoreApp: [
    t('Restore a mini app'),
    t('Domain'),
    '[^\\s]{1,260}',
    (text: string) => miniApp(text, 'restore'),
  ],
} as const
type Action = keyof typeof ACTIONS

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
      <Section heading={t('Log')} note={t('The newest {limit} decisions.', { limit: LIMIT })}>
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

function Log() {
  const log = useQuery({
    queryKey: ['log'],
    queryFn: () =>
      ask<{ result: { entries: LogEntry[] } }>('/moderation/log', { query: { limit: LIMIT } }),
  })
  const titles = useQuery({
    queryKey: ['settings'],
    queryFn: () => ask<{ settings: Titles }>('/server/settings'),
  }).data?.settings.map(translated)
  return (
    <Loaded query={log}>
      {({ result }) =>
        result.entries.length === 0 ? (
          <Empty heading={t('Nothing was decided yet')} />
        ) : (
          <Rows
            label={t('Log of moderation')}
            heads={[t('When'), t('Who'), t('What'), t('Why')]}
            rows={result.entries.map((entry) => ({
              key: entry.id,
              cells: [
                timeText(entry.at),
                <bdi key="by">{byText(entry)}</bdi>,
                <Done key="done" entry={entry} titles={titles} />,
                <bdi key="why">{whyText(entry)}</bdi>,
              ],
            }))}
          />
        )
      }
    </Loaded>
  )
}

/** What was done; what it was done to can be looked at where there is a client. */
function Done({ entry, titles }: { entry: LogEntry; titles: Titles | undefined }) {
  const { castHash, username } = entry
  const path = castHash ? `/cast/${castHash}` : username && `/@${encodeURIComponent(username)}`
  return (
    <>
      <bdi>{doneText(entry, titles)}</bdi>
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

function ActForm({ onDecide }: { onDecide: (one: Decision) => void }) {
  const [action, setAction] = useState<Action>('suspend')
  const [text, setText] = useState('')
  const [, label, pattern, decide] = ACTIONS[action]
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onDecide(decide(text.trim()))
  }
  return (
    <form className="inline-form" onSubmit={submit}>
      <label className="field">
        <span>{t('What')}</span>
        <select value={action} onChange={(event) => setAction(event.target.value as Action)}>
          {Object.entries(ACTIONS).map(([key, [title]]) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
      </label>
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
