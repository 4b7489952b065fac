import { useQuery } from '@tanstack/react-query'
import { Empty } from '../../client/parts/states.tsx'
import { ask, type BadgeSet } from '../api.ts'
import { Act } from '../parts/act.tsx'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { countText, timeText } from '../text.ts'

export function BadgesScreen() {
  const sets = useQuery({
    queryKey: ['badges'],
    queryFn: () => ask<{ sets: BadgeSet[] }>('/platform/badges/sets'),
  })
  return (
    <Section
      heading="Badge runs"
      note="Power badges are computed once a week. The newest set is in force."
    >
      <Act
        text="Compute the set now"
        path="/platform/badges/runs"
        done="Started. The new set is the first of the list when it is there."
      />
      <Loaded query={sets} what="badge runs">
        {({ sets }) =>
          sets.length === 0 ? (
            <Empty heading="No set was computed yet" />
          ) : (
            <Rows
              label="Badge runs"
              heads={['Computed', 'Set', 'Badges']}
              rows={sets.map(({ id, computedAt, count }) => ({
                key: id,
                cells: [timeText(computedAt), id, countText(count)],
              }))}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
