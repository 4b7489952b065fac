import { useQuery } from '@tanstack/react-query'
import { Empty } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText, listText } from '../../shared/text.ts'
import { ask, type Backups } from '../api.ts'
import { Act } from '../parts/act.tsx'
import { Declared } from '../parts/declared.tsx'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'
import { bytesText, durationText } from '../text.ts'

const WHILE_RUNNING_MS = 1_000

export function BackupsScreen() {
  const backups = useQuery({
    queryKey: ['backups'],
    queryFn: () => ask<Backups>('/backups'),
    refetchInterval: (query) => (query.state.data?.isRunning ? WHILE_RUNNING_MS : false),
  })
  return (
    <Section heading={t('Backups')}>
      <Loaded query={backups}>
        {(shown) => (shown.isConfigured ? <Kept shown={shown} /> : <NotConfigured shown={shown} />)}
      </Loaded>
    </Section>
  )
}

function NotConfigured({ shown: { advice } }: { shown: Backups }) {
  return (
    <Empty heading={t('This server makes no backups')}>
      <p>
        <Declared text={advice ?? ''} />
      </p>
    </Empty>
  )
}

function Kept({ shown: { settings, isRunning, lastFailure, backups } }: { shown: Backups }) {
  return (
    <>
      {settings && (
        <p className="muted">
          {rich(
            'Every {intervalHours, plural, one {hour} other {# hours}} into {directory}; {keep, plural, one {# is} other {# are}} kept.',
            {
              intervalHours: settings.intervalHours,
              directory: <code>{settings.directory}</code>,
              keep: settings.keep,
            },
          )}
        </p>
      )}
      {lastFailure && (
        <p className="fault" role="alert">
          {rich('The last backup failed: {lastFailure}', {
            lastFailure: <bdi lang="en">{cleanText(lastFailure)}</bdi>,
          })}
        </p>
      )}
      {isRunning ? (
        <p role="status">{t('A backup is being made …')}</p>
      ) : (
        <Act text={t('Make a backup now')} path="/backups" />
      )}
      {backups.length === 0 ? (
        <Empty heading={t('No backup yet')} />
      ) : (
        <Rows
          label={t('Backups')}
          heads={[t('Begun'), t('Name'), t('Size'), t('Took'), t('Check')]}
          rows={backups.map((backup) => ({
            key: backup.name,
            cells: [
              <Time key="begun" at={backup.startedAt} />,
              <code key="name">{backup.name}</code>,
              bytesText(backup.bytes),
              durationText(backup.seconds),
              <Found key="found" backup={backup} />,
            ],
          }))}
        />
      )}
    </>
  )
}

/** What the check of a backup has found. What its keys do not open is in English, as are all backups of earlier versions. */
function Found({ backup: { verified, found } }: { backup: Backups['backups'][number] }) {
  if (!found) return <bdi lang="en">{verified}</bdi>
  const { messages, events, accounts, keep, faults } = found
  return (
    <>
      {t(
        '{messages, plural, one {# message} other {# messages}}, {events, plural, one {# event} other {# events}} and {accounts, plural, one {# account} other {# accounts}} are as they should be.',
        { messages, events, accounts },
      )}
      {keep.length > 0 && ` ${t('Keep {keep} beside it.', { keep: listText(keep) })}`}
      {faults.map((fault) => (
        <p key={fault} lang="en" dir="auto">
          {cleanText(fault)}
        </p>
      ))}
    </>
  )
}
