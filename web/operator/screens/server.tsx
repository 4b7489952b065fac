import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Empty } from '../../client/parts/states.tsx'
import { cleanText } from '../../shared/text.ts'
import { ask, type ServerFacts } from '../api.ts'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { timeText } from '../text.ts'

const SOURCES = {
  room: 'changed here',
  environment: 'environment',
  default: 'default',
  unset: 'not set',
} as const

export function ServerScreen() {
  const server = useQuery({ queryKey: ['server'], queryFn: () => ask<ServerFacts>('/server') })
  return (
    <>
      <Section heading="Program">
        <Loaded query={server} what="the program">
          {(facts) => (
            <dl className="facts">
              {factsOf(facts).map(([name, value]) => (
                <div key={name}>
                  <dt className="muted">{name}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          )}
        </Loaded>
      </Section>
      <Section
        heading="Settings of the machine"
        note={
          <>
            As the process has read them. Some are <a href="#settings">changed here</a>. For the
            others change the environment and start again.
          </>
        }
      >
        <Loaded query={server} what="settings">
          {({ settings }) => <Settings settings={settings} />}
        </Loaded>
      </Section>
    </>
  )
}

const factsOf = (facts: ServerFacts): [string, string | number][] => [
  ['Version', facts.version],
  ['Node', facts.node],
  ['Mode', facts.mode],
  ['Network', facts.network],
  ['Database', facts.engine === 'sqlite' ? 'embedded (SQLite)' : 'PostgreSQL'],
  ['Schema', facts.schema],
  ['Started', timeText(facts.startedAt)],
]

function Settings({ settings }: Pick<ServerFacts, 'settings'>) {
  const [isWhole, setWhole] = useState(false)
  const shown = settings.filter(
    ({ source }) => isWhole || source === 'environment' || source === 'room',
  )
  return (
    <>
      <label className="choice">
        <input
          type="checkbox"
          checked={isWhole}
          onChange={(event) => setWhole(event.target.checked)}
        />{' '}
        Also those that are not given
      </label>
      {shown.length === 0 ? (
        <Empty heading="Nothing is set: every setting has its default" />
      ) : (
        <Rows
          label="Settings"
          heads={['Setting', 'Value', 'From', 'What it is']}
          rows={shown.map(({ variable, value, source, isSecret, what }) => ({
            key: variable,
            cells: [
              <code key="name">{variable}</code>,
              isSecret && source !== 'unset' ? (
                <span key="value" className="muted">
                  secret
                </span>
              ) : (
                <bdi key="value" className="value">
                  {cleanText(value ?? '–')}
                </bdi>
              ),
              <span key="source" className="whole">
                {SOURCES[source]}
              </span>,
              what,
            ],
          }))}
        />
      )}
    </>
  )
}
