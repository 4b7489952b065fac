import { useQuery } from '@tanstack/react-query'
import { t } from '../../shared/messages.ts'
import { ask, type Jobs } from '../api.ts'
import { JOB_WORDS, OUTCOMES } from '../job-words.ts'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'
import { durationText } from '../text.ts'

const EVERY_MS = 10_000

export function JobsScreen() {
  const jobs = useQuery({
    queryKey: ['jobs'],
    queryFn: () => ask<Jobs>('/jobs'),
    refetchInterval: EVERY_MS,
  })
  return (
    <Section
      heading={t('Jobs')}
      note={t('What the program does by itself. Jobs of the leader run in one process of all.')}
    >
      <Loaded query={jobs}>
        {({ isLeader, jobs }) => (
          <>
            <p>
              {isLeader ? t('This process is the leader.') : t('Another process is the leader.')}
            </p>
            <Rows
              label={t('Jobs')}
              heads={[t('Name'), t('Runs in'), t('Every'), t('Last run'), t('Took'), t('Outcome')]}
              rows={jobs.map((job, place) => ({
                key: `${place} ${job.name}`,
                cells: [
                  <span key="name">
                    {JOB_WORDS[job.name] ?? job.name}
                    <br />
                    <code className="muted">{job.name}</code>
                  </span>,
                  job.scope === 'leader' ? t('the leader') : t('each process'),
                  durationText(job.everySeconds),
                  job.lastAt === undefined ? '–' : <Time key="last" at={job.lastAt} />,
                  job.lastSeconds === undefined ? '–' : durationText(job.lastSeconds),
                  job.isRunning ? t('running') : job.lastOutcome ? OUTCOMES[job.lastOutcome] : '–',
                ],
              }))}
            />
          </>
        )}
      </Loaded>
    </Section>
  )
}
