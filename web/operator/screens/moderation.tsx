import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Empty } from '../../client/parts/states.tsx'
import { type ModerationStatistics, Statistics } from '../../shared/moderation-statistics.tsx'
import { words } from '../../shared/words.ts'
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
import { timeText } from '../text.ts'

const LIMIT = 50
/** `text` is a name and the fid that holds it: meanwhile somebody else may. */
const name = (text: string): Decision => {
  const [taken = '', fid] = text.split(' ')
  return {
    title: `Take the name ${taken}`,
    consequence: `The name is released from account ${fid}, and can be registered again.`,
    path: `/moderation/names/${encodeURIComponent(taken)}/take`,
    body: { fid: Number(fid) },
  }
}

/** What may be done by hand, to what. */
const ACTIONS = {
  suspend: ['Suspend an account', 'Fid', '[0-9]{1,16}', (text: string) => account(text, 'suspend')],
  restore: ['Restore an account', 'Fid', '[0-9]{1,16}', (text: string) => account(text, 'restore')],
  limit: ['Limit an account', 'Fid', '[0-9]{1,16}', (text: string) => account(text, 'limit')],
  unlimit: [
    'End the limit of an account',
    'Fid',
    '[0-9]{1,16}',
    (text: string) => account(text, 'unlimit'),
  ],
  hide: [
    `Hide ${words.aPost}`,
    `Hash of the ${words.post}`,
    '0x[0-9a-fA-F]{40}',
    (text: string) => cast(text, 'hide'),
  ],
  unhide: [
    `Show ${words.aPost}`,
    `Hash of the ${words.post}`,
    '0x[0-9a-fA-F]{40}',
    (text: string) => cast(text, 'unhide'),
  ],
  take: [
    'Take a name',
    'Name, and fid that holds it',
    '[a-z0-9][a-z0-9.\\-]{0,62} [0-9]{1,10}',
    name,
  ],
  remove: [
    'Remove a mini app',
    'Domain',
    '[^\\s]{1,260}',
    (text: string) => miniApp(text, 'remove'),
  ],
  restoreApp: [
    'Restore a mini app',
    'Domain',
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
      <Section heading="Open reports">
        {isFrontDoor ? <ToTheQueue what="reports" /> : <Cases onDecide={setDecision} />}
      </Section>
      <Section heading="Numbers of the last half year">
        <Numbers />
      </Section>
      <Section heading="Act by hand">
        <ActForm onDecide={setDecision} />
      </Section>
      <NewAccounts />
      <Section heading="Log" note={`The newest ${LIMIT} decisions.`}>
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
    <Loaded query={cases} what="reports">
      {({ result }) =>
        result.cases.length === 0 ? (
          <Empty heading="No open reports" />
        ) : (
          <>
            <p className="muted">
              The longest waiting first. With pictures, threads and what was decided before they are
              in the web client, under Moderate, for accounts with a role.
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
  }).data?.settings
  return (
    <Loaded query={log} what="the log">
      {({ result }) =>
        result.entries.length === 0 ? (
          <Empty heading="Nothing was decided yet" />
        ) : (
          <Rows
            label="Log of moderation"
            heads={['When', 'Who', 'What', 'Why']}
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
          <a href={path}>{castHash ? `the ${words.post}` : 'profile'}</a>
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
  return (
    <Loaded query={query} what="the numbers">
      {({ result }) => <Statistics found={result} />}
    </Loaded>
  )
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
        <span>What</span>
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
        Continue
      </button>
    </form>
  )
}
