import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Empty } from '../../client/parts/states.tsx'
import { type ModerationStatistics, Statistics } from '../../shared/moderation-statistics.tsx'
import { cleanText } from '../../shared/text.ts'
import { words } from '../../shared/words.ts'
import { ask, type LogEntry, type Report } from '../api.ts'
import {
  accountDecision as account,
  castDecision as cast,
  miniAppDecision as miniApp,
} from '../decisions.ts'
import { Decide, type Decision } from '../parts/decide.tsx'
import { NewAccounts } from '../parts/new-accounts.tsx'
import { ReportCard } from '../parts/report-card.tsx'
import { Loaded, Rows, Section } from '../parts/section.tsx'
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
  const reports = useQuery({
    queryKey: ['reports'],
    queryFn: () =>
      ask<{ result: { reports: Report[] } }>('/moderation/reports', { query: { limit: LIMIT } }),
  })
  const log = useQuery({
    queryKey: ['log'],
    queryFn: () =>
      ask<{ result: { entries: LogEntry[] } }>('/moderation/log', { query: { limit: LIMIT } }),
  })
  return (
    <>
      {decision && <Decide decision={decision} onClose={() => setDecision(undefined)} />}
      <Section heading="Open reports" note="The oldest first.">
        <Loaded query={reports} what="reports">
          {({ result }) =>
            result.reports.length === 0 ? (
              <Empty heading="No open reports" />
            ) : (
              <ul className="cards">
                {result.reports.map((report) => (
                  <ReportCard key={report.id} report={report} onDecide={setDecision} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <Section heading="Numbers of the last half year">
        <Numbers />
      </Section>
      <Section heading="Act by hand">
        <ActForm onDecide={setDecision} />
      </Section>
      <NewAccounts />
      <Section heading="Log" note={`The newest ${LIMIT} decisions.`}>
        <Loaded query={log} what="the log">
          {({ result }) =>
            result.entries.length === 0 ? (
              <Empty heading="Nothing was decided yet" />
            ) : (
              <Rows
                label="Log of moderation"
                heads={['When', 'What', 'Subject', 'Why', 'By']}
                rows={result.entries.map((entry) => ({
                  key: entry.id,
                  cells: [
                    timeText(entry.at),
                    entry.action,
                    <bdi key="of">
                      {cleanText(`${entry.name ?? entry.castHash ?? entry.fid ?? '–'}`)}
                    </bdi>,
                    <bdi key="why">{cleanText(entry.reason)}</bdi>,
                    <bdi key="by">{cleanText(entry.actor)}</bdi>,
                  ],
                }))}
              />
            )
          }
        </Loaded>
      </Section>
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
