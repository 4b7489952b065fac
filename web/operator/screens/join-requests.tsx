import { useQuery } from '@tanstack/react-query'
import { type DecideJoins, JoinQueue, type Joins } from '../../client/moderation/join-queue.tsx'
import { Empty } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { rich } from '../../shared/rich.tsx'
import { ask } from '../api.ts'
import { Loaded, Section } from '../parts/section.tsx'

const EVERY_MS = 10_000

const decide: DecideJoins = (body) => ask('/joining/requests/decide', { method: 'POST', body })

/** People who wait to be let in. */
export function JoinRequestsScreen() {
  const query = useQuery({
    queryKey: ['join requests'],
    queryFn: () => ask<Joins>('/joining/requests'),
    refetchInterval: EVERY_MS,
  })
  return (
    <Section
      heading={t('People who ask to join')}
      note={t(
        'Moderators find them on their page, too. Nothing of who waits is public, and who has an invite need not wait.',
      )}
    >
      <Loaded query={query}>
        {(joins) => (
          <>
            {joins.signup !== 'approval' && (
              <p className="muted">
                {rich(
                  'Nobody has to ask now. Who may join is decided under <link>Settings</link>.',
                  { link: (inner) => <a href="#settings">{inner}</a> },
                )}
              </p>
            )}
            {joins.requests.length === 0 ? (
              <Empty heading={t('Nobody waits')} />
            ) : (
              <JoinQueue joins={joins} decide={decide} />
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}
