import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Icon } from '../../shared/icons.tsx'
import { t } from '../../shared/messages.ts'
import type { Call } from '../../shared/request.ts'
import { cleanText } from '../../shared/text.ts'
import { ask } from '../api.ts'

type ActProps = {
  readonly text: string
  readonly path: string
  readonly method?: Call['method']
  readonly body?: object
  /** Asked once more before it is done; for what cannot be undone. */
  readonly confirm?: string
  readonly done?: string
}

/** A button that does one thing and says how it went. */
export function Act({ text, path, method = 'POST', body, confirm, done }: ActProps) {
  const [isAsking, setAsking] = useState(false)
  const queries = useQueryClient()
  const act = useMutation({
    mutationFn: () => ask(path, { method, ...(body && { body }) }),
    onSettled: () => setAsking(false),
    onSuccess: () => queries.invalidateQueries(),
  })
  const press = () => (confirm && !isAsking ? setAsking(true) : act.mutate())
  return (
    <span className="act">
      <button
        type="button"
        className={isAsking ? 'danger' : 'secondary'}
        disabled={act.isPending}
        onClick={press}
      >
        {act.isPending ? t('Working …') : isAsking ? confirm : text}
      </button>
      {isAsking && !act.isPending && (
        <button type="button" className="quiet" onClick={() => setAsking(false)}>
          {t('Cancel')}
        </button>
      )}
      <span role="status" className={act.error ? 'fault' : 'muted'}>
        {act.error && (
          <>
            <Icon name="warning" /> <bdi>{cleanText(act.error.message)}</bdi>
          </>
        )}
        {act.isSuccess && done}
      </span>
    </span>
  )
}
