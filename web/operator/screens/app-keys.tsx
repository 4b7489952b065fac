import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Empty } from '../../client/parts/states.tsx'
import { CopyButton } from '../../shared/copy-button.tsx'
import { t } from '../../shared/messages.ts'
import { Refusal } from '../../shared/request.ts'
import { rich } from '../../shared/rich.tsx'
import { cleanText } from '../../shared/text.ts'
import { type App, ask } from '../api.ts'
import { Act } from '../parts/act.tsx'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'

/** The apps of the app API and their keys. */
export function AppKeys() {
  const apps = useQuery({ queryKey: ['apps'], queryFn: getApps })
  return (
    <Section
      heading={t('Apps and keys')}
      note={t(
        'A key is shown once and not stored. Within a second no process accepts one that was revoked.',
      )}
    >
      <Loaded query={apps}>
        {(apps) =>
          apps === null ? (
            <Empty heading={t('This server has no app API')}>
              <p>{t('ROOKERY_VIEWS is off.')}</p>
            </Empty>
          ) : (
            <>
              <NewKey apps={apps} />
              {apps.length === 0 ? <Empty heading={t('No apps yet')} /> : <Keys apps={apps} />}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function Keys({ apps }: { apps: readonly App[] }) {
  const rows = apps.flatMap((app) =>
    (app.keys.length === 0 ? [undefined] : app.keys).map((key) => ({ app, key })),
  )
  return (
    <Rows
      label={t('Apps and keys')}
      heads={[t('App'), t('Fid'), t('Key'), t('Created'), t('Revoke', {}, 'a key')]}
      rows={rows.map(({ app, key }) => ({
        key: app.uuid + key?.id,
        cells: [
          <bdi key="app">{cleanText(app.name)}</bdi>,
          app.fid,
          key ? <code key="key">{key.id.slice(0, 18)}…</code> : t('none'),
          <Time key="created" at={key?.createdAt ?? app.createdAt} />,
          key === undefined ? (
            '–'
          ) : key.revokedAt === undefined ? (
            <Act
              key="revoke"
              text={t('Revoke', {}, 'a key')}
              confirm={t('Revoke it now')}
              method="DELETE"
              path={`/app/keys/${key.id}`}
            />
          ) : (
            rich('revoked {time}', { time: <Time at={key.revokedAt} /> })
          ),
        ],
      }))}
    />
  )
}

const NEW_APP = ''

function NewKey({ apps }: { apps: readonly App[] }) {
  const queries = useQueryClient()
  const [of, setOf] = useState(NEW_APP)
  const [app, setApp] = useState({ name: '', fid: 1 })
  const create = useMutation({
    mutationFn: () =>
      of === NEW_APP
        ? ask<{ key: string }>('/app/apps', { method: 'POST', body: app })
        : ask<{ key: string }>(`/app/apps/${of}/keys`, { method: 'POST' }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['apps'] }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <>
      <form className="inline-form" onSubmit={submit}>
        <label className="field">
          <span>{t('Key of')}</span>
          <select value={of} onChange={(event) => setOf(event.target.value)}>
            <option value={NEW_APP}>{t('A new app')}</option>
            {apps.map(({ uuid, name }) => (
              <option key={uuid} value={uuid}>
                {cleanText(name)}
              </option>
            ))}
          </select>
        </label>
        {of === NEW_APP && (
          <>
            <label className="field grow">
              <span>{t('Name of the app')}</span>
              <input
                required
                maxLength={100}
                autoComplete="off"
                value={app.name}
                onChange={(event) => setApp({ ...app, name: event.target.value })}
              />
            </label>
            <label className="field">
              <span>{t('Fid of its owner')}</span>
              <input
                required
                type="number"
                min={1}
                value={app.fid}
                onChange={(event) => setApp({ ...app, fid: event.target.valueAsNumber || 1 })}
              />
            </label>
          </>
        )}
        <button type="submit" className="primary" disabled={create.isPending}>
          {t('Create key')}
        </button>
      </form>
      <div role="status">
        {create.data && (
          <p className="secret">
            {rich('The key, shown once: {key}', { key: <code>{create.data.key}</code> })}{' '}
            <CopyButton value={create.data.key} text={t('Copy the key')} />
          </p>
        )}
        {create.error && <p className="fault">{create.error.message}</p>}
      </div>
    </>
  )
}

/** A server without views has no app API. */
async function getApps(): Promise<readonly App[] | null> {
  try {
    return (await ask<{ apps: App[] }>('/app/apps')).apps
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) return null
    throw error
  }
}
