import { useQuery } from '@tanstack/react-query'
import { ask, type Jobs } from '../api.ts'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { durationText, timeText } from '../text.ts'

const EVERY_MS = 10_000

export function JobsScreen() {
  const jobs = useQuery({
    queryKey: ['jobs'],
    queryFn: () => ask<Jobs>('/jobs'),
    refetchInterval: EVERY_MS,
  })
  return (
    <Section
      heading="Jobs"
      note="What the program does by itself. Jobs of the leader run in one process of all."
    >
      <Loaded query={jobs} what="jobs">
        {({ isLeader, jobs }) => (
          <>
            <p>{isLeader ? 'This process is the leader.' : 'Another process is the leader.'}</p>
            <Rows
              label="Jobs"
              heads={['Name', 'Runs in', 'Every', 'Last run', 'Took', 'Outcome']}
              rows={jobs.map((job, place) => ({
                key: `${place} ${job.name}`,
                cells: [
                  job.name,
                  job.scope === 'leader' ? 'the leader' : 'each process',
                  durationText(job.everySeconds),
                  job.lastAt === undefined ? '–' : timeText(job.lastAt),
                  job.lastSeconds === undefined ? '–' : durationText(job.lastSeconds),
                  job.isRunning ? 'running' : (job.lastOutcome ?? '–'),
                ],
              }))}
            />
          </>
        )}
      </Loaded>
    </Section>
  )
}
