import { useQuery } from '@tanstack/react-query'
import { Empty } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { ask, type BadgeSet } from '../api.ts'
import { Act } from '../parts/act.tsx'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'
import { countText } from '../text.ts'

export function BadgesScreen() {
  const badges = useQuery({
    queryKey: ['badges'],
    queryFn: () => ask<{ set?: BadgeSet }>('/platform/badges/set'),
  })
  return (
    <Section heading={t('Power badges')} note={t('Computed once a week.')}>
      <Act text={t('Compute the set now')} path="/platform/badges/runs" done={t('Started.')} />
      <Loaded query={badges}>
        {({ set }) =>
          set ? (
            <Rows
              label={t('Power badges')}
              heads={[t('Computed'), t('Badges')]}
              rows={[
                {
                  key: 'set',
                  cells: [<Time key="computed" at={set.computedAt} />, countText(set.count)],
                },
              ]}
            />
          ) : (
            <Empty heading={t('No set was computed yet')} />
          )
        }
      </Loaded>
    </Section>
  )
}
