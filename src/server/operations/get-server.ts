import { handler } from '../../contract/handler.ts'
import { getServer as operation } from '../../contract/operations/operator/server-operations.ts'
import type { HealthCheck } from '../health/health-check.ts'

export const getServer = (health: Pick<HealthCheck, 'read'>) =>
  handler(operation, async () => ({ status: 200, body: await health.read() }))
