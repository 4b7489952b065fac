import { useQuery } from '@tanstack/react-query'
import { Empty } from '../../client/parts/states.tsx'
import { t } from '../../shared/messages.ts'
import { cleanText } from '../../shared/text.ts'
import { ask, type ServerError } from '../api.ts'
import { Loaded, Rows, Section } from '../parts/section.tsx'
import { Time } from '../parts/time.tsx'

export function ErrorsScreen() {
  const errors = useQuery({
    queryKey: ['errors'],
    queryFn: () => ask<{ errors: ServerError[] }>('/errors'),
  })
  return (
    <Section
      heading={t('Recent errors')}
      note={t('Up to 100 of this process since it started. The log has the rest, by request id.')}
    >
      <Loaded query={errors}>
        {({ errors }) =>
          errors.length === 0 ? (
            <Empty heading={t('No errors since the start')} />
          ) : (
            <Rows
              label={t('Recent errors')}
              heads={[t('When'), t('What'), t('Message'), t('Where'), t('Request')]}
              rows={errors.map(({ at, what, message, where, requestId }, place) => ({
                key: errors.length - place,
                cells: [
                  <Time key="at" at={at} />,
                  <bdi key="what" lang="en">
                    {what}
                  </bdi>,
                  <bdi key="message" lang="en">
                    {cleanText(message)}
                  </bdi>,
                  where ?? '–',
                  requestId ? <code key="id">{requestId}</code> : '–',
                ],
              }))}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
