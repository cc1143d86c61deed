"""Register a gRPC service whose messages are bounded, and refused in a sentence where they must be."""

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from google.protobuf import message, message_factory
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from grpc import StatusCode

from tffs.serving.server.budget import Budget
from tffs.serving.server.limits import Limits
from tffs.serving.server.message_fields import count_fields
from tffs.serving.server.refusal import Refusal, internal, invalid
from tffs.serving.server.seldom_log import SeldomLog

# Raises `Refusal` where there is no answer.
Method = Callable[[Any, grpc.aio.ServicerContext], Awaitable[Any]]

# From here on reading a message would hold up other clients, and happens in a thread.
LARGE_BYTES = 2**18
FIELD_BYTES = 300  # that a field may take in memory


class GrpcMessages:
    """Registers services with a server.

    Args:
        server: takes the services.
        limits: of a message.
        budget: of all requests.
        log: takes a line for each kind of unexpected exception.
    """

    def __init__(self, server: grpc.aio.Server, limits: Limits, budget: Budget, log: SeldomLog) -> None:
        self._server = server
        self._limits = limits
        self._budget = budget
        self._log = log

    def add_service(self, service: ServiceDescriptor, servicer: Any) -> None:
        """Register a servicer.

        Args:
            service: its description, which names its methods and their messages.
            servicer: has a coroutine for each method that it answers.
        """
        handlers = {}
        for method in service.methods:
            answer = getattr(servicer, method.name, None)
            if inspect.iscoroutinefunction(answer):  # not the generated ones, which answer nothing
                handlers[method.name] = self._handler(method, answer)
        generic = grpc.method_handlers_generic_handler(service.full_name, handlers)
        self._server.add_generic_rpc_handlers((generic,))

    def _handler(self, method: MethodDescriptor, answer: Method) -> grpc.RpcMethodHandler:
        """Make a handler that reads its one message itself.

        On the wire a call with one message is a stream of one. gRPC hands a stream out unread and unparsed,
        which leaves the time, the budget and the parser to us.
        """

        async def handle(_: Any, context: grpc.aio.ServicerContext) -> Any:
            # The exception of a refusal leads to the message through its traceback, and gRPC would keep both.
            response, refused = await self._outcome(method, answer, context)
            if refused is not None:
                await context.abort(*refused)
            return response

        streams = method.server_streaming
        make = grpc.stream_stream_rpc_method_handler if streams else grpc.stream_unary_rpc_method_handler
        return make(
            handle,
            response_serializer=message_factory.GetMessageClass(method.output_type).SerializeToString,
        )

    async def _outcome(
        self, method: MethodDescriptor, answer: Method, context: grpc.aio.ServicerContext
    ) -> tuple[Any, tuple[StatusCode, str] | None]:
        try:
            async with self._message(method, context) as request:
                return await answer(request, context), None
        except Refusal as refusal:
            return None, (refusal.code, str(refusal))
        except grpc.aio.AbortError:  # the health service refuses by itself
            raise
        except Exception as error:
            hidden = internal(error, self._log)
            return None, (hidden.code, str(hidden))

    @contextlib.asynccontextmanager
    async def _message(
        self, method: MethodDescriptor, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[message.Message]:
        """Read a call's message, and count it while the block runs."""
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                content = await context.read()
        except TimeoutError:
            raise Refusal(
                StatusCode.DEADLINE_EXCEEDED,
                f"The request was not received within {self._limits.body_seconds:g} seconds.",
            ) from None
        kind = method.input_type
        if content is grpc.aio.EOF:
            raise invalid(f"The call was ended without a {kind.name}.")
        with self._budget.request() as take:
            take(len(content))
            large = len(content) > LARGE_BYTES
            most = self._limits.request_fields
            if large:
                fields = await asyncio.to_thread(count_fields, content, kind, most)
            else:
                fields = count_fields(content, kind, most)
            if fields > most:
                raise invalid(f"The {kind.name} has more than {most} fields: send several requests.")
            take(fields * FIELD_BYTES)
            read = message_factory.GetMessageClass(kind).FromString
            try:
                request = await asyncio.to_thread(read, content) if large else read(content)
            except message.DecodeError:
                raise invalid(f"The bytes that were received are not a {kind.name}.") from None
            del content
            yield request
