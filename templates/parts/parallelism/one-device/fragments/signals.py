"""One process decides for itself."""


class StopSignal:
    def requested(self):
        # {% macro stop_requested() %}
        return self._received
        # {% endmacro %}
