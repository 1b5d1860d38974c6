/* The plays are in one process, since two would install the library of n8n at the same time. */
import './posthorn-node.ts'
import './posthorn-trigger.ts'
