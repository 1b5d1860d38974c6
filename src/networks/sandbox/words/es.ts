import type { TranslatedNetworkWords } from '../../../locales/network-words.ts'
import type { words as english } from './en.ts'

export const words = {
  console: {
    intro:
      'Una red solo para probar, que forma parte de Posthorn y no necesita cuenta: la dirección del destinatario determina qué pasa con el mensaje.',
    card: {
      name: 'Sandbox',
      what: 'Para probarlo todo. Ningún mensaje sale de este servidor.',
    },
    labels: {
      account: 'Cuenta',
      behaviour: 'Comportamiento',
      after_seconds: 'Después de (segundos)',
      reply_window_seconds: 'Ventana de respuesta en segundos',
      link: 'Forma de vincular',
      links_after_seconds: 'Vinculada después de (segundos)',
      link_step_seconds: 'Segundos por paso',
      token: 'Token',
    },
    hints: {
      account: 'El nombre de la cuenta; su dirección es `<cuenta>@delivers.sandbox`.',
      behaviour: 'Lo que hace la conexión.',
      after_seconds: 'Cuánto espera la conexión antes de hacer lo que dice el comportamiento.',
      reply_window_seconds:
        'Durante cuánto tiempo se puede responder a quien escribió, como en algunas redes. Sin valor, en cualquier momento.',
      link: 'Sin token, una persona tiene que vincular antes la cuenta: escanear un código QR, escribir un código, abrir una página o responder a una pregunta.',
      links_after_seconds:
        'Después de cuántos segundos la red de pruebas actúa como si alguien lo hubiera hecho.',
      link_step_seconds: 'Durante cuánto tiempo es válido cada paso de la vinculación.',
      token: 'Se acepta cualquier token, salvo `refused`.',
    },
    reasons: {
      client_refused: 'La red no acepta este programa.',
      network_unreachable: 'No se puede acceder a la red.',
      connection_dropped: 'La red cortó la conexión.',
      link_not_kept:
        'La cuenta se vinculó, pero no se pudieron guardar las nuevas credenciales. Posthorn pide otra vinculación.',
    },
    errors: {
      recipient_busy: 'El destinatario no puede recibir mensajes en este momento.',
      slow_down: 'La red pidió que este mensaje se envíe más tarde.',
      too_many_messages: 'La red pidió que todos los mensajes de la cuenta se envíen más tarde.',
      account_restricted:
        'La cuenta está restringida en este momento. El mensaje se enviará cuando acabe la restricción.',
      answer_wrong: 'Este no es el código que envió la red.',
      not_admin:
        'Solo un administrador del grupo puede hacer esto. Pídele que lo haga, o que nombre administrador a la cuenta.',
      not_a_member: 'Esta persona no está en el grupo. Añádela primero.',
      not_asked_to_join: 'Esta persona no pide entrar. Consulta las solicitudes del grupo.',
      too_many_groups: 'La cuenta está en tantos grupos como permite la red. Sal antes de alguno.',
      invitation_invalid: 'La invitación no lleva a ningún grupo, o fue sustituida por otra. Pide una nueva.',
      transfer_broken: 'La conexión terminó antes de que se enviara el archivo entero.',
    },
    notices: {
      sent_silently: 'La red entregó el mensaje sin sonido.',
    },
    restrictions: {
      sandbox_quota:
        'La red de pruebas restringe la cuenta por un tiempo, como pide la configuración de la instancia.',
    },
    faults: {
      requires_link: 'Esto solo tiene efecto si la cuenta se vincula de esa forma.',
    },
    test_addresses: {
      delivers: 'El caso normal: el mensaje se entrega.',
      reads: 'Un destinatario que lee al instante: el mensaje se entrega y se lee.',
      accepts: 'Un destinatario que nunca confirma: el mensaje queda como enviado.',
      'reads-all': 'Un destinatario que lee varios mensajes juntos: envía más de uno en el mismo segundo.',
      'receipt-first': 'La confirmación de entrega llega antes que la respuesta de la red.',
      vouched: 'La propia red dice hasta dónde llegó el mensaje, sin indicar el destinatario.',
      notices: 'El mensaje se entrega, pero con un cambio: sin sonido.',
      replies: 'Un destinatario que responde con el mismo texto.',
      'replies-twice': 'La red entrega la respuesta dos veces: sigue siendo un solo mensaje.',
      chooses:
        'Un destinatario que toca el primero de tus botones, elige la primera fila de tu lista o vota en tu encuesta.',
      reacts: 'Un destinatario que reacciona con un pulgar.',
      quotes: 'Un destinatario cuya respuesta cita tu mensaje.',
      types: 'Un destinatario que escribe un momento antes de responder.',
      'read-elsewhere': 'Un destinatario que responde, y la cuenta lee la respuesta en otro cliente.',
      'also-elsewhere': 'La cuenta también se usa en otra app u otro dispositivo, que envía el mismo texto.',
      shares: 'Un destinatario que envía un archivo: envía como texto la URL de uno.',
      'shares-by-reference':
        'Un destinatario que envía un archivo guardado en la red: solo la conexión de la instancia puede abrirlo.',
      'two-addresses': 'Una persona con dos direcciones, como en algunas redes. Responde desde la otra.',
      'other-address': 'La otra dirección de la persona de two-addresses.',
      'window-closed': 'El plazo para responder a esta persona terminó: solo se aceptan plantillas.',
      slow: 'Una red lenta: acepta después de 2 s.',
      'slow-500ms': 'Una red algo lenta: acepta después de 0,5 s.',
      unknown: 'Nadie tiene esta dirección: rechazo definitivo.',
      refuses: 'Un rechazo definitivo.',
      'refuses-twice': 'Un problema temporal: el tercer intento funciona.',
      busy: 'Un problema que no pasa: el mensaje sigue enviándose hasta que expira.',
      defers: 'La red dice cuándo volver a intentarlo: después de 5 s.',
      'limits-account': 'La red quiere todos los mensajes de la cuenta más tarde: después de 5 s.',
      uncertain:
        'El mensaje llega, pero la respuesta se pierde: el segundo intento no debe crear un segundo mensaje.',
      loses: 'El mensaje se pierde: solo llega si hay un segundo intento.',
      'never-certain':
        'El mensaje llega, pero la respuesta siempre se pierde: al final del plazo, el resultado queda incierto.',
      drops: 'La conexión se corta durante un intento; el siguiente funciona.',
      stuck: 'La red nunca responde: todos los intentos agotan el tiempo.',
      group: 'Un grupo. Ana y Bo están en él, y la cuenta es administradora.',
      'group-refuses': 'Un grupo que la cuenta no puede cambiar.',
      'group-loses': 'Los cambios del grupo se hacen, pero la respuesta se pierde.',
      'group-silent': 'La red nunca responde a los cambios de este grupo.',
      'group-gone': 'El grupo ya no existe.',
      returns: 'El mensaje se acepta y después se devuelve.',
    },
  },
} as const satisfies TranslatedNetworkWords<typeof english>
