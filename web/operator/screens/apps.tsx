import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Empty } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { Refusal } from '../../shared/request.ts'
import { cleanText } from '../../shared/text.ts'
import { ask, type KeyRequest, type Webhook } from '../api.ts'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { countText, timeText } from '../text.ts'
import { AppKeys } from './app-keys.tsx'

const STATES = ['pending', 'approved', 'completed', 'denied', 'failed'] as const
const LIMIT = 100

export function AppsScreen() {
  const [state, setState] = useState<(typeof STATES)[number]>('pending')
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
            {STATES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <Loaded query={requests} what="key requests">
          {({ requests }) =>
            requests.length === 0 ? (
              <Empty heading={t('No requests are {state}', { state })} />
            ) : (
              <Rows
                label={t('Key requests')}
                heads={[t('Made'), t('App'), t('User'), t('Key'), t('Why it failed')]}
                rows={requests.map((request) => ({
                  key: request.key + request.createdAt,
                  cells: [
                    timeText(request.createdAt),
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
        <Loaded query={webhooks} what="webhooks">
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
                    active ? 'active' : `off${fault ? `: ${fault}` : ''}`,
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
