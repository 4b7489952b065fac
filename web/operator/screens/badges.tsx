import { useQuery } from '@tanstack/react-query'
import { Empty } from '../../client/parts/states.tsx'
import { ask, type BadgeSet } from '../api.ts'
import { Act } from '../parts/act.tsx'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { countText, timeText } from '../text.ts'

export function BadgesScreen() {
  const badges = useQuery({
    queryKey: ['badges'],
    queryFn: () => ask<{ set?: BadgeSet }>('/platform/badges/set'),
  })
  return (
    <Section heading="Power badges" note="Computed once a week.">
      <Act text="Compute the set now" path="/platform/badges/runs" done="Started." />
      <Loaded query={badges} what="badges">
        {({ set }) =>
          set ? (
            <Rows
              label="Power badges"
              heads={['Computed', 'Badges']}
              rows={[{ key: 'set', cells: [timeText(set.computedAt), countText(set.count)] }]}
            />
          ) : (
            <Empty heading="No set was computed yet" />
          )
        }
      </Loaded>
    </Section>
  )
}
