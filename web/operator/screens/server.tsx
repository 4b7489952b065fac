import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Empty } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { ask, type ServerFacts } from '../api.ts'
import { Declared } from '../parts/declared.tsx'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'

const SOURCES = {
  room: t('changed here'),
  environment: t('environment'),
  default: t('default'),
  unset: t('not set'),
} as const

export function ServerScreen() {
  const server = useQuery({ queryKey: ['server'], queryFn: () => ask<ServerFacts>('/server') })
  return (
    <>
      <Section heading={t('Program')}>
        <Loaded query={server}>
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
        heading={t('Settings of the machine')}
        note={rich(
          'As the process has read them. Some are <link>changed here</link>. For the others change the environment and start again.',
          { link: (inner) => <a href="#settings">{inner}</a> },
        )}
      >
        <Loaded query={server}>{({ settings }) => <Settings settings={settings} />}</Loaded>
      </Section>
    </>
  )
}

const factsOf = (facts: ServerFacts): [string, ReactNode][] => [
  [t('Version'), facts.version],
  [t('Node'), facts.node],
  [t('Mode'), facts.mode === 'production' ? t('production') : t('development')],
  [t('Network'), facts.network],
  [t('Database'), facts.engine === 'sqlite' ? t('embedded (SQLite)') : 'PostgreSQL'],
  [t('Schema'), facts.schema],
  [t('Started'), <Time key="started" at={facts.startedAt} />],
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
        {t('Also those that are not given')}
      </label>
      {shown.length === 0 ? (
        <Empty heading={t('Nothing is set: every setting has its default')} />
      ) : (
        <Rows
          label={t('Settings')}
          heads={[t('Setting'), t('Value'), t('From'), t('What it is')]}
          rows={shown.map(({ variable, value, source, isSecret, what }) => ({
            key: variable,
            cells: [
              <code key="name" className="setting-name">
                {variable}
              </code>,
              isSecret && source !== 'unset' ? (
                <span key="value" className="muted">
                  {t('secret')}
                </span>
              ) : (
                <bdi key="value" className="value">
                  {cleanText(value ?? '–')}
                </bdi>
              ),
              <span key="source" className="whole">
                {SOURCES[source]}
              </span>,
              <Declared key="what" text={what} />,
            ],
          }))}
        />
      )}
    </>
  )
}
