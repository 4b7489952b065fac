import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Empty } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { Refusal } from '../../shared/request.ts'
import { cleanText } from '../../shared/text.ts'
import { ask, type KeyRequest, type Webhook } from '../api.ts'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'
import { countText } from '../text.ts'
import { AppKeys } from './app-keys.tsx'

/** What a request is, and what is said when there is none. */
const STATES = {
  pending: [t('pending'), t('No requests are pending')],
  approved: [t('approved'), t('No requests are approved')],
  completed: [t('completed'), t('No requests are completed')],
  denied: [t('denied'), t('No requests are denied')],
  failed: [t('failed'), t('No requests are failed')],
} as const
const LIMIT = 100

export function AppsScreen() {
  const [state, setState] = useState<keyof typeof STATES>('pending')
  const requests = useQuery({
    queryKey: ['key-requests', state],
    queryFn: () =>
      ask<{ requests: KeyRequest[] }>('/platform/key-requests', { query: { state, limit: LIMIT } }),
  })
  const webhooks = useQuery({ queryKey: ['webhooks'], queryFn: getWebhooks })
  return (
    <>
      <AppKeys />
      <Section
        heading={t('Key requests')}
        note={t('Apps ask users for keys. Up to {limit} are shown.', { limit: LIMIT })}
      >
        <label className="field narrow">
          <span>{t('State')}</span>
          <select value={state} onChange={(event) => setState(event.target.value as typeof state)}>
            {Object.entries(STATES).map(([one, [name]]) => (
              <option key={one} value={one}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Loaded query={requests}>
          {({ requests }) =>
            requests.length === 0 ? (
              <Empty heading={STATES[state][1]} />
            ) : (
              <Rows
                label={t('Key requests')}
                heads={[t('Made'), t('App'), t('User'), t('Key'), t('Why it failed')]}
                rows={requests.map((request) => ({
                  key: request.key + request.createdAt,
                  cells: [
                    <Time key="created" at={request.createdAt} />,
                    request.requestFid,
                    request.userFid ?? '–',
                    <code key="key">{request.key.slice(0, 18)}…</code>,
                    <bdi key="why">{cleanText(request.reason ?? '–')}</bdi>,
                  ],
                }))}
              />
            )
          }
        </Loaded>
      </Section>
      <Section
        heading={t('Webhooks')}
        note={t('The first 100. The server switches a webhook off after it failed for long.')}
      >
        <Loaded query={webhooks}>
          {(webhooks) =>
            webhooks.length === 0 ? (
              <Empty heading={t('No webhooks')} />
            ) : (
              <Rows
                label={t('Webhooks')}
                heads={[t('Title'), t('Address'), t('State'), t('Waiting')]}
                rows={webhooks.map(({ id, title, targetUrl, active, waiting, fault }) => ({
                  key: id,
                  cells: [
                    <bdi key="title">{cleanText(title)}</bdi>,
                    <bdi key="url">{cleanText(targetUrl)}</bdi>,
                    active ? t('active') : fault ? t('off: {fault}', { fault }) : t('off'),
                    countText(waiting),
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

/** A server without views has no app API, and no webhooks. */
async function getWebhooks(): Promise<readonly Webhook[]> {
  try {
    return (await ask<{ webhooks: Webhook[] }>('/app/webhooks')).webhooks
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return []
    throw error
  }
}
