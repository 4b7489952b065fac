import type { RejectionCode } from '../../protocol/rejection.ts'
import { uploadedOctets } from '../route.ts'

/** What the declarations of routes that take a picture or a video have in common. */
export const fileUpload = (maxBytes: number, errors: readonly RejectionCode[] = []) => ({
  body: uploadedOctets({ description: 'The file.', maxBytes }),
  cost: { cpu: 'medium', writes: 4 } as const,
  errors: [
    ...errors,
    'bad_request.validation_failure',
    'bad_request.too_large',
    'bad_request.no_storage',
    'rate_limited',
    'unavailable',
    'unavailable.overloaded',
  ] as const,
})
