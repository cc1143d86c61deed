"""Register a gRPC service so that bytes which are no message are refused in a sentence, too."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
from google.protobuf import message, message_factory
from google.protobuf.descriptor import ServiceDescriptor
from grpc import StatusCode

Method = Callable[[Any, grpc.aio.ServicerContext], Awaitable[Any]]


def add_service(server: grpc.aio.Server, service: ServiceDescriptor, servicer: Any) -> None:
    """Register a servicer.

    The generated code would let the exception of a message that cannot be read out: a traceback in the log, and
    its words, with status UNKNOWN, for the client.

    Args:
        server: takes the service.
        service: its description, which names its methods and their messages.
        servicer: has a coroutine for each method that it answers.
    """
    handlers = {}
    for method in service.methods:
        answer = getattr(servicer, method.name, None)
        if not inspect.iscoroutinefunction(answer):  # the generated ones, which answer nothing
            continue
        streams = method.server_streaming
        make = grpc.unary_stream_rpc_method_handler if streams else grpc.unary_unary_rpc_method_handler
        handlers[method.name] = make(
            _refusing(answer, method.input_type.name),
            request_deserializer=_reader(message_factory.GetMessageClass(method.input_type)),
            response_serializer=message_factory.GetMessageClass(method.output_type).SerializeToString,
        )
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service.full_name, handlers),))


class _Unreadable:
    """Stands for a message that could not be read."""


def _reader(kind: type[message.Message]) -> Callable[[bytes], message.Message | _Unreadable]:
    def read(content: bytes) -> message.Message | _Unreadable:
        try:
            return kind.FromString(content)
        except message.DecodeError:
            return _Unreadable()

    return read


def _refusing(answer: Method, kind: str) -> Method:
    async def checked(request: Any, context: grpc.aio.ServicerContext) -> Any:
        if isinstance(request, _Unreadable):
            await context.abort(StatusCode.INVALID_ARGUMENT, f"The bytes that came are no {kind}.")
        return await answer(request, context)

    return checked
